# Check boxes of the notes that nobody ticked.
found = await tools.search_files(path="notes", pattern="**/*.md")
open_actions = []
for note in found["content"].splitlines():
    if not note.endswith(".md"):
        continue
    text = await tools.read_text_file(path=note)
    for line in text["content"].splitlines():
        if line.strip().startswith("- [ ]"):
            open_actions.append({"note": note.rsplit("/", 1)[-1], "action": line.strip()[5:].strip()})
return open_actions
