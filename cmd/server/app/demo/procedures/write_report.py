# A page that lists what the notes are about.
listing = await tools.list_directory(path="notes")
lines = ["# Notes", ""]
for line in listing["content"].splitlines():
    if line.startswith("[FILE] ") and line.endswith(".md"):
        name = line[len("[FILE] "):]
        text = await tools.read_text_file(path="notes/" + name, head=1)
        lines.append("- " + name + ": " + text["content"].strip().lstrip("# "))
await tools.write_file(path="reports/notes.md", content="\n".join(lines) + "\n")
return "\n".join(lines)
