# Two findings and the relation between them, read back to be sure.
await tools.create_entities(entities=[
    {"name": cause, "entityType": "finding", "observations": []},
    {"name": consequence, "entityType": "finding", "observations": []},
])
await tools.create_relations(relations=[{"from": cause, "to": consequence, "relationType": "leads to"}])
stored = await tools.open_nodes(names=[cause, consequence])
return stored["relations"]
