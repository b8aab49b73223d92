import re

# What changed on one day, named like Mar 02 2026.
found = await tools.search_files(path=".", pattern="**/*")
changed = []
for file in found["content"].splitlines():
    if not file.startswith("/"):
        continue
    info = await tools.get_file_info(path=file)
    if re.search("modified: ... " + day + " ", info["content"]) and "isFile: true" in info["content"]:
        changed.append(file)
return changed
