# Writes nothing when a finding with the same words is there already, whatever entity has it.
known = await tools.search_nodes(query=finding)
if known["entities"]:
    return "known: " + ", ".join(entity["name"] for entity in known["entities"])
await tools.create_entities(entities=[{"name": service, "entityType": "service", "observations": []}])
await tools.add_observations(observations=[{"entityName": service, "contents": [finding]}])
return "remembered"
