# Moves temporary files into one folder, where a person can look before they go.
found = await tools.search_files(path="scratch", pattern="**/*.tmp", excludePatterns=["attic/**"])
stale = [line for line in found["content"].splitlines() if line.endswith(".tmp")]
await tools.create_directory(path="scratch/attic")
for file in stale:
    await tools.move_file(source=file, destination="scratch/attic/" + file.rsplit("/", 1)[-1])
return {"moved": len(stale)}
