"""Answers what CPython makes of programs: whether they compile, what they name, and what they reach when they run.

Reads a JSON list of {"code": ..., "run": bool} and writes a JSON list of answers. A program is run twice, as the body
of an async function and as a module, because interpreters differ in what a name at the top means.
"""
import ast
import asyncio
import builtins
import hashlib
import io
import json
import signal
import sys
import warnings

warnings.simplefilter("ignore")
real_stdout = sys.stdout


class Stop(BaseException):
    """Ends a program that takes too long, or that returned at the top of a module."""


class Thing:
    """A value that allows nearly everything, so that programs get far."""

    def __init__(self, name="thing"):
        self.name = name

    def __call__(self, *args, **kwargs):
        for value in list(args) + list(kwargs.values()):
            if callable(value) and getattr(value, "is_program", False):
                value(Thing())
        return Thing()

    def __await__(self):
        return Thing()
        yield

    def __iter__(self):
        return iter([Thing(), Thing()])

    async def __aiter__(self):
        yield Thing()

    def __getitem__(self, key):
        return Thing()

    def __setitem__(self, key, value):
        pass

    def __enter__(self):
        return Thing()

    def __exit__(self, *args):
        return False

    async def __aenter__(self):
        return Thing()

    async def __aexit__(self, *args):
        return False

    def __getattr__(self, name):
        if name.startswith("__"):
            raise AttributeError(name)
        return Thing()

    def __add__(self, other):
        return Thing()

    __radd__ = __sub__ = __or__ = __and__ = __mod__ = __add__

    def __lt__(self, other):
        return True

    __gt__ = __le__ = __ge__ = __lt__

    def __hash__(self):
        return 1

    def __eq__(self, other):
        return self is other

    def __format__(self, spec):
        return "thing"

    def keys(self):
        return ["a", "b"]


class Data(Thing):
    """A value that nobody can call: inputs are plain data."""

    __call__ = None


class Tools:
    """Records every attribute that is read, written or deleted."""

    def __init__(self, seen):
        object.__setattr__(self, "seen_by_oracle", seen)

    def __getattribute__(self, name):
        object.__getattribute__(self, "seen_by_oracle").add(name)
        if name.startswith("missing"):
            raise AttributeError("no such tool", name=name, obj=self)
        if name.startswith("__"):
            return object.__getattribute__(self, name)
        return Thing(name)

    def __setattr__(self, name, value):
        object.__getattribute__(self, "seen_by_oracle").add(name)

    def __delattr__(self, name):
        object.__getattribute__(self, "seen_by_oracle").add(name)

    def __bool__(self):
        return True

    def __eq__(self, other):
        return self is other

    def __hash__(self):
        return 2

    def __getitem__(self, key):
        object.__getattribute__(self, "seen_by_oracle").add(str(key))
        return Thing()

    def __iter__(self):
        return iter([self, self])

    def __call__(self, *args, **kwargs):
        object.__getattribute__(self, "seen_by_oracle").add("(called)")
        return Thing()

    def __await__(self):
        return self
        yield


class Ending(ast.NodeTransformer):
    """Makes a return at the top of a module end it."""

    def visit_Return(self, node):
        value = [ast.Expr(node.value)] if node.value else []
        return value + [ast.Raise(ast.Name("_Stop", ast.Load()), None)]

    def leave(self, node):
        return node

    visit_FunctionDef = visit_AsyncFunctionDef = visit_ClassDef = visit_Lambda = leave


def as_function(code):
    body = ast.parse(code).body or [ast.Pass()]
    function = ast.AsyncFunctionDef(
        name="main",
        args=ast.arguments(posonlyargs=[], args=[ast.arg("tools"), ast.arg("asyncio")], kwonlyargs=[], kw_defaults=[], defaults=[]),
        body=body, decorator_list=[])
    return compile(ast.fix_missing_locations(ast.Module([function], [])), "<code>", "exec")


def as_module(code):
    tree = ast.fix_missing_locations(Ending().visit(ast.parse(code)))
    return compile(tree, "<code>", "exec", flags=ast.PyCF_ALLOW_TOP_LEVEL_AWAIT)


def bound(tree):
    """The names that a program binds somewhere, in whatever scope."""
    out = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Name) and not isinstance(node.ctx, ast.Load):
            out.add(node.id)
        for field in ("arg", "name", "rest", "asname"):
            if isinstance(getattr(node, field, None), str):
                out.add(getattr(node, field))
    return out


def given(code):
    """The globals of a program: a value for each name that it uses. Only names that it never binds can be called."""
    tree = ast.parse(code)
    out = {"__name__": "procedure", "_Stop": Stop}
    binds = bound(tree)
    for node in ast.walk(tree):
        name = getattr(node, "id", None)
        if isinstance(node, ast.Name) and not hasattr(builtins, name) and name not in ("tools", "asyncio"):
            out[name] = Data(name) if name in binds else Thing(name)
    return out


def alarm(signum, frame):
    raise Stop("time")


signal.signal(signal.SIGALRM, alarm)


def run(make):
    """Runs what make gives, and swallows whatever it raises."""
    signal.setitimer(signal.ITIMER_REAL, 1.0)
    loop = asyncio.new_event_loop()
    loop.set_exception_handler(lambda *_: None)
    try:
        result = make()
        if hasattr(result, "send") or hasattr(result, "cr_frame"):
            loop.run_until_complete(asyncio.wait_for(result, 1))
    except BaseException:
        pass
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        try:
            loop.run_until_complete(asyncio.sleep(0))
            loop.close()
        except BaseException:
            pass


def answer(case):
    code = case["code"]
    out = {"compiles": False, "error": "", "tree": "", "loads": [], "shadowed": False, "seen": []}
    try:
        tree = ast.parse(code)
        out["tree"] = hashlib.sha256(ast.dump(tree).encode("utf-8", "surrogatepass")).hexdigest()
        function = as_function(code)
        out["compiles"] = True
    except (SyntaxError, ValueError, MemoryError, RecursionError) as error:
        out["error"] = f"{type(error).__name__}: {error}"
        return out
    loads = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id == "tools" and isinstance(node.ctx, ast.Load):
            loads.add(node.attr)
        if isinstance(node, ast.arg) and node.arg == "tools" or isinstance(node, ast.Name) and node.id == "tools" and not isinstance(node.ctx, ast.Load):
            out["shadowed"] = True
        if isinstance(node, ast.alias) and (node.asname or node.name) == "tools":
            out["shadowed"] = True
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)) and node.name == "tools":
            out["shadowed"] = True
        if getattr(node, "name", None) == "tools" or getattr(node, "rest", None) == "tools":
            out["shadowed"] = True
    out["loads"] = sorted(loads)
    if not case.get("run"):
        return out
    seen = set()
    sys.stdout = io.StringIO()
    try:
        scope = given(code)
        exec(function, scope)
        run(lambda: scope["main"](Tools(seen), asyncio))
        try:
            module = as_module(code)
        except SyntaxError:
            module = None
        if module is not None:
            scope = given(code) | {"tools": Tools(seen), "asyncio": asyncio}
            run(lambda: eval(module, scope))
    finally:
        sys.stdout = real_stdout
    out["seen"] = sorted(seen - {"seen_by_oracle"})
    return out


json.dump([answer(case) for case in json.load(sys.stdin)], real_stdout)
