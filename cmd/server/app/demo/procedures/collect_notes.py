# One entity for each note, with its headline and the service that it is about.
found = await tools.search_files(path="notes", pattern="**/*.md")
entities = []
for note in found["content"].splitlines():
    if not note.endswith(".md"):
        continue
    text = await tools.read_text_file(path=note)
    lines = [line for line in text["content"].splitlines() if line.strip()]
    facts = [line.lstrip("# ") for line in lines if line.startswith("# ") or line.startswith("Service: ")]
    entities.append({"name": note.rsplit("/", 1)[-1][:-len(".md")], "entityType": "note", "observations": facts})
made = await tools.create_entities(entities=entities)
return [entity["name"] for entity in made["entities"]]
