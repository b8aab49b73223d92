import asyncio
import json


def files(nodes, folder):
    found = []
    for node in nodes:
        place = folder + "/" + node["name"]
        found.extend(files(node["children"], place) if node["type"] == "directory" else [place])
    return found


async def size(file):
    info = await tools.get_file_info(path=file)
    return (int(info["content"].splitlines()[0].split(": ")[1]), file)


# The ten largest files below a folder.
tree = await tools.directory_tree(path=path)
sizes = await asyncio.gather(*[size(file) for file in files(json.loads(tree["content"]), path)])
return [{"file": file, "bytes": count} for count, file in sorted(sizes, reverse=True)[:10]]
