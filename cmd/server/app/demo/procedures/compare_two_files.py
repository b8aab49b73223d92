# Two texts line by line; one call reads both.
answer = await tools.read_multiple_files(paths=[left, right])
texts = [part.split(":\n", 1)[-1] for part in answer["content"].split("\n---\n")]
if len(texts) != 2:
    raise ValueError("one of the files could not be read: " + answer["content"])
first = [line for line in texts[0].splitlines() if line.strip()]
second = [line for line in texts[1].splitlines() if line.strip()]
return {
    "onlyLeft": [line for line in first if line not in second],
    "onlyRight": [line for line in second if line not in first],
}
