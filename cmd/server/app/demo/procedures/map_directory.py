import json


def outline(nodes, depth):
    lines = []
    for node in nodes:
        mark = "/" if node["type"] == "directory" else ""
        lines.append("  " * depth + node["name"] + mark)
        lines.extend(outline(node.get("children", []), depth + 1))
    return lines


# An outline of everything that may be read, root by root.
allowed = await tools.list_allowed_directories()
lines = []
for root in allowed["content"].splitlines()[1:]:
    tree = await tools.directory_tree(path=root)
    lines.append(root)
    lines.extend(outline(json.loads(tree["content"]), 1))
return "\n".join(lines)
