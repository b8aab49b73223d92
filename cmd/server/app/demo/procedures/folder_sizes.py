# The space that each folder takes, as the server sums it up; one level deep.
listing = await tools.list_directory(path=".")
sizes = {}
for line in listing["content"].splitlines():
    if line.startswith("[DIR] "):
        folder = line[len("[DIR] "):]
        listed = await tools.list_directory_with_sizes(path=folder, sortBy="size")
        sizes[folder] = listed["content"].splitlines()[-1].replace("Combined size: ", "")
return sizes
