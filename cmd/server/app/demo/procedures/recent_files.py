# Everything below a folder, the last written first.
MONTHS = "Jan Feb Mar Apr May Jun Jul Aug Sep Oct Nov Dec".split()
found = await tools.search_files(path=path, pattern="**/*")
changes = []
for file in found["content"].splitlines():
    if not file.startswith("/"):
        continue
    info = await tools.get_file_info(path=file)
    facts = dict(line.split(": ", 1) for line in info["content"].splitlines())
    if facts["isFile"] == "true":
        _, month, day, year, clock = facts["modified"].split()[:5]
        changes.append(f"{year}-{MONTHS.index(month) + 1:02d}-{day} {clock} {file}")
return sorted(changes, reverse=True)[:20]
