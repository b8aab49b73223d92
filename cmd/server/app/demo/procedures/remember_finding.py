# Adds a finding to what is known about a service, which is made when nothing is.
known = await tools.search_nodes(query=service)
names = [entity["name"] for entity in known["entities"]]
if service not in names:
    await tools.create_entities(entities=[{"name": service, "entityType": "service", "observations": []}])
added = await tools.add_observations(observations=[{"entityName": service, "contents": [finding]}])
return added["results"][0]["addedObservations"]
