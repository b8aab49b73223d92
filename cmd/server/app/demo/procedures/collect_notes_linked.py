# Notes and the services that they are about, linked; one call reads all notes.
found = await tools.search_files(path="notes", pattern="**/*.md")
notes = [line for line in found["content"].splitlines() if line.endswith(".md")]
if not notes:
    return {"entities": 0, "relations": 0}
answer = await tools.read_multiple_files(paths=notes)
entities, relations = [], []
for part in answer["content"].split("\n---\n"):
    place, text = part.split(":\n", 1)
    name = place.rsplit("/", 1)[-1][:-len(".md")]
    entities.append({"name": name, "entityType": "note", "observations": [text.splitlines()[0].lstrip("# ")]})
    for line in text.splitlines():
        if line.startswith("Service: "):
            about = line[len("Service: "):].strip()
            entities.append({"name": about, "entityType": "service", "observations": []})
            relations.append({"from": name, "to": about, "relationType": "is about"})
made = await tools.create_entities(entities=entities)
linked = await tools.create_relations(relations=relations)
return {"entities": len(made["entities"]), "relations": len(linked["relations"])}
