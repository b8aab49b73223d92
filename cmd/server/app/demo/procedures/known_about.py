# What is known about an entity, and about everything it is linked to.
found = await tools.search_nodes(query=entity)
names = {node["name"] for node in found["entities"]}
for relation in found["relations"]:
    names.add(relation["from"])
    names.add(relation["to"])
if not names:
    return {"entities": [], "relations": []}
return await tools.open_nodes(names=sorted(names))
