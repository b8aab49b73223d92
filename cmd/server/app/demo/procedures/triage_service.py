# The newest log and what is known about the service: the first two minutes of every incident.
newest = await tools.proc__get_file_info__read_text_file__search_files()
known = await tools.proc__open_nodes__search_nodes(entity=service)
problems = [line for line in newest.splitlines() if service in line and (" ERROR " in line or " WARN " in line)]
return {
    "log": newest.splitlines()[0],
    "problems": problems,
    "known": {node["name"]: node["observations"] for node in known["entities"]},
}
