# The date in the name says which log is the newest.
found = await tools.search_files(path="logs", pattern="**/*.log")
logs = [line for line in found["content"].splitlines() if line.endswith(".log")]
if not logs:
    return {"log": None, "problems": []}
newest = max(logs, key=lambda log: log[-len("2026-01-01.log"):])
text = await tools.read_text_file(path=newest)
problems = [line for line in text["content"].splitlines() if " ERROR " in line or " WARN " in line]
return {"log": newest, "problems": problems}
