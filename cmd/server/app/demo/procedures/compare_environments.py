import json


def flat(value, prefix=""):
    if not isinstance(value, dict):
        return {prefix: value}
    keys = {}
    for key, inner in value.items():
        keys.update(flat(inner, prefix + "." + key if prefix else key))
    return keys


# Pairs NAME.staging.json with NAME.production.json and lists the keys that differ.
listing = await tools.list_directory(path="config")
files = [line[len("[FILE] "):] for line in listing["content"].splitlines() if line.startswith("[FILE] ")]
differences = {}
for staging in files:
    production = staging.replace(".staging.", ".production.")
    if not staging.endswith(".staging.json") or production not in files:
        continue
    before = await tools.read_text_file(path="config/" + staging)
    after = await tools.read_text_file(path="config/" + production)
    left, right = flat(json.loads(before["content"])), flat(json.loads(after["content"]))
    differences[staging.split(".")[0]] = {
        key: {"staging": left.get(key), "production": right.get(key)}
        for key in sorted(set(left) | set(right))
        if left.get(key) != right.get(key)
    }
return differences
