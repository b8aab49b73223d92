"""Looks for ways from what code may use to what it must not have, by attributes that no rule refuses.

Reads {"modules": {name: [names]}, "builtins": [names], "denied": [attributes], "prefixes": [prefixes]} and writes a
JSON list of [path, what]. With nothing denied it must find something, or it would prove nothing.
"""
import asyncio
import builtins
import collections
import dataclasses
import datetime
import decimal
import functools
import hashlib
import importlib
import itertools
import json
import os
import random
import re
import statistics
import string
import sys
import types
import typing
import uuid
import warnings

warnings.simplefilter("ignore")
DEPTH = 4
rules = json.load(sys.stdin)
denied = set(rules["denied"])
prefixes = tuple(rules["prefixes"])
dangerous = {id(getattr(builtins, n)) for n in "eval exec compile getattr setattr delattr globals locals vars type __import__ open breakpoint".split()}


class Tools:
    """Stands for the object that must not be reached."""


tools = Tools()
found = []
seen = {}


def what(o):
    """Why code must not have an object, or nothing."""
    if o is tools:
        return "the tools object"
    if id(o) in dangerous:
        return "a builtin that reaches everything"
    if isinstance(o, types.ModuleType):
        return "a module"
    if isinstance(o, (types.FrameType, types.CodeType)):
        return "a frame or its code"
    if isinstance(o, asyncio.AbstractEventLoop):
        return "the event loop"
    if isinstance(o, type) and issubclass(o, type):
        return "a class that makes classes"
    return None


def look(path, o, depth=0):
    why = what(o)
    if why:
        found.append([path, why])
        return
    if id(o) in seen or depth > DEPTH:
        return
    seen[id(o)] = o
    if isinstance(o, (list, tuple, set, frozenset, collections.deque)):
        for i, x in enumerate(list(o)[:20]):
            look(f"{path}[{i}]", x, depth + 1)
    if isinstance(o, dict):
        for k, x in list(o.items())[:20]:
            look(f"{path}[{k!r}]", x, depth + 1)
    for name in dir(o):
        if name.startswith("__") or name in denied or prefixes and name.startswith(prefixes):
            continue
        try:
            value = getattr(o, name)
        except Exception:
            continue
        look(f"{path}.{name}", value, depth + 1)


async def instances():
    """Objects that code can make out of what it may use."""

    def generator(t=tools):
        yield 1

    async def coroutine(t=tools):
        await asyncio.sleep(0.01)

    async def async_generator():
        yield 1

    @dataclasses.dataclass
    class Data:
        a: int = 1

    running = generator()
    next(running)
    waiting = coroutine()
    future = waiting.send(None)
    try:
        tools.missing
    except AttributeError as e:
        error = e
    async with asyncio.TaskGroup() as group:
        pass
    return dict(
        task=asyncio.create_task(coroutine()), coroutine=waiting, generator=running, future=future, error=error,
        group=group, gathered=asyncio.gather(coroutine()), completed=asyncio.as_completed([coroutine()]),
        queue=asyncio.Queue(), lock=asyncio.Lock(), semaphore=asyncio.Semaphore(), event=asyncio.Event(),
        condition=asyncio.Condition(), timeout=asyncio.timeout(1), sleep=asyncio.sleep(0),
        waited=asyncio.wait_for(coroutine(), 1), shield=asyncio.shield(coroutine()), thread=asyncio.to_thread(len, [1]),
        async_generator=async_generator(), data=Data(), data_class=Data, field=dataclasses.field(),
        decoder=json.JSONDecoder(), encoder=json.JSONEncoder(), random=random.Random(), pattern=re.compile("a"),
        match=re.match("a", "a"), context=decimal.getcontext(), local=decimal.localcontext(), deque=collections.deque(),
        counter=collections.Counter("a"), user_dict=collections.UserDict(), named=collections.namedtuple("X", "a b")(1, 2),
        partial=functools.partial(generator), cached=functools.lru_cache(generator), key=functools.cmp_to_key(max)(1),
        cached_property=functools.cached_property(generator), method=functools.partialmethod(generator),
        wrapped=functools.wraps(generator)(lambda: 1), hash=hashlib.md5(), template=string.Template("$a"),
        uuid=uuid.uuid4(), normal=statistics.NormalDist(), delta=datetime.timedelta(), now=datetime.datetime.now(),
        alias=typing.List[int], variable=typing.TypeVar("T"), new_type=typing.NewType("N", int), builtin_alias=list[int],
        union=int | str, literal=typing.Literal["a"], annotated=typing.Annotated[int, 1], function=generator,
        property=property(generator), class_method=classmethod(generator), super=super(Data, Data()),
        view=memoryview(b"a"), environment=os.environ, bound=[].append, chain=itertools.chain([1]),
        group_of_errors=ExceptionGroup("x", [error]), slice=slice(1),
    )


async def main():
    for name, names in rules["modules"].items():
        module = importlib.import_module(name)
        for attribute in names:
            if not hasattr(module, attribute):
                found.append([f"{name}.{attribute}", "not there"])
            elif not isinstance(getattr(module, attribute), types.ModuleType):
                look(f"{name}.{attribute}", getattr(module, attribute))
    for name in rules["builtins"]:
        look(name, getattr(builtins, name))
    for name, o in (await instances()).items():
        look(name, o)
    sys.stdout.write(json.dumps(found))
    sys.stdout.flush()
    os._exit(0)  # what was started is not waited for


asyncio.run(main())
