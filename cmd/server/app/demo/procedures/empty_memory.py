# Starts over with an empty knowledge graph.
graph = await tools.read_graph()
names = [entity["name"] for entity in graph["entities"]]
await tools.delete_entities(entityNames=names)
return len(names)
