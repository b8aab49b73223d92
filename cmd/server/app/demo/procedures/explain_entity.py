# The same in sentences, for an answer to a person.
found = await tools.open_nodes(names=[entity])
if not found["entities"]:
    found = await tools.search_nodes(query=entity)
lines = []
for node in found["entities"]:
    lines.append(node["name"] + " is a " + node["entityType"] + ".")
    lines.extend("  " + observation for observation in node["observations"])
for relation in found["relations"]:
    lines.append(relation["from"] + " " + relation["relationType"] + " " + relation["to"] + ".")
return "\n".join(lines) or "Nothing is known about " + entity + "."
