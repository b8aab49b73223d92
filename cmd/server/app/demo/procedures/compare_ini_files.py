# The same comparison for INI files: a setting is its section, its key and its value.
async def settings(name):
    text = await tools.read_text_file(path="config/" + name)
    section, found = "", {}
    for line in text["content"].splitlines():
        line = line.strip()
        if line.startswith("[") and line.endswith("]"):
            section = line[1:-1]
        elif "=" in line:
            key, value = line.split("=", 1)
            found[section + "." + key.strip()] = value.strip()
    return found


listing = await tools.list_directory(path="config")
names = [line[len("[FILE] "):] for line in listing["content"].splitlines() if line.endswith(".staging.ini")]
report = []
for name in names:
    staging = await settings(name)
    production = await settings(name.replace(".staging.", ".production."))
    for key in sorted(set(staging) | set(production)):
        if staging.get(key) != production.get(key):
            report.append(f"{name.split('.')[0]}: {key} is {staging.get(key)} in staging, {production.get(key)} in production")
return "\n".join(report)
