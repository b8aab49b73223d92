import re

# Every log of one service, its errors grouped by what they say once numbers are left out.
found = await tools.search_files(path="logs", pattern="**/*.log")
counts = {}
for log in found["content"].splitlines():
    if not log.rsplit("/", 1)[-1].startswith(service + "-"):
        continue
    text = await tools.read_text_file(path=log)
    for line in text["content"].splitlines():
        if " ERROR " in line:
            message = re.sub(r"\d+", "N", line.split(service, 1)[-1].strip())
            counts[message] = counts.get(message, 0) + 1
return {"service": service, "errors": counts}
