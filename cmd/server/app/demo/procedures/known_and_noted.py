# The knowledge graph and the notes side by side.
known = await tools.search_nodes(query=service)
found = await tools.search_files(path="notes", pattern="**/*.md")
mentions = {}
for note in found["content"].splitlines():
    if note.endswith(".md"):
        text = await tools.read_text_file(path=note)
        lines = [line for line in text["content"].splitlines() if service in line]
        if lines:
            mentions[note.rsplit("/", 1)[-1]] = lines
return {"known": known["entities"], "notes": mentions}
