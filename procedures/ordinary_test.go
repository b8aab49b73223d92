package procedures

import (
	"strings"
	"testing"
)

// ordinaryProcedures are what agents write. All of them must be proven, with exactly these tools.
var ordinaryProcedures = []struct {
	code  string
	tools string
}{
	{"return await tools.ping()", "ping"},
	{"r = await tools.fetch_logs(job_id=job_id, lines=100)\nreturn r['lines'][-1]", "fetch_logs"},
	{"pods = await tools.list_pods(ns=ns)\nreturn [p['name'] for p in pods if p['status'] != 'Running']", "list_pods"},
	{"a, b = await asyncio.gather(tools.a(), tools.b())\nreturn {'a': a, 'b': b}", "a b"},
	{"import json\nr = await tools.get(id=1)\nreturn json.loads(r['body'])", "get"},
	{"import re\nfrom datetime import datetime, timedelta\nlog = await tools.read_log()\nm = re.search(r'(\\d+) errors', log)\nreturn {'n': int(m.group(1)) if m else 0, 'at': datetime.now() - timedelta(days=1)}", "read_log"},
	{"async def one(pod):\n    try:\n        return await tools.restart(pod=pod)\n    except Exception as error:\n        return str(error)\nreturn await asyncio.gather(*(one(p) for p in pods))", "restart"},
	{"from collections import Counter, defaultdict\nrows = await tools.query(sql='select 1')\nc = Counter(r['kind'] for r in rows)\nd = defaultdict(list)\nfor r in rows:\n    d[r['kind']].append(r)\nreturn c.most_common(3)", "query"},
	{"for attempt in range(3):\n    try:\n        return await tools.deploy(version=version)\n    except Exception:\n        await asyncio.sleep(2 ** attempt)\nraise RuntimeError('no success')", "deploy"},
	{"handlers = {'a': tools.scale_up, 'b': tools.scale_down}\nreturn await handlers[kind](n=1)", "scale_down scale_up"},
	{"m = tools.get_user\nusers = [await m(id=i) for i in ids]\nreturn sorted(users, key=lambda u: u['name'])", "get_user"},
	{"class Summary:\n    def __init__(self, n):\n        self.n = n\n    def __str__(self):\n        return f'{self.n} rows'\nreturn str(Summary(len(await tools.rows())))", "rows"},
	{"from dataclasses import dataclass, field\n@dataclass\nclass Row:\n    name: str\n    tags: list = field(default_factory=list)\nreturn [Row(r['name']) for r in await tools.rows()]", "rows"},
	{"match await tools.status():\n    case {'state': 'ok', 'id': ident}:\n        return ident\n    case {'state': str(s)}:\n        return s\n    case [first, *rest]:\n        return first\n    case None | False:\n        return None\n    case _:\n        await tools.alert()", "alert status"},
	{"t = tools\nreturn await t.ping()", "ping"},
	{"async def go(t, n):\n    return await t.ping(n=n)\nreturn await go(tools, 3)", "ping"},
	{"async def go(n, t=tools):\n    return await t.ping(n=n)\nreturn await go(3)", "ping"},
	{"async def outer(t):\n    async def inner(u):\n        return await u.ping()\n    return await inner(t)\nreturn await outer(t=tools)", "ping"},
	{"total = 0\nasync for page in tools.pages(q=q):\n    total += len(page)\nreturn total", "pages"},
	{"async with tools.lock(name='x') as lock:\n    await tools.write(lock=lock['id'])", "lock write"},
	{"if (user := await tools.find(name=name)) is None:\n    user = await tools.create(name=name)\nreturn user", "create find"},
	{"import math, statistics\nxs = await tools.metrics()\nreturn {'mean': statistics.mean(xs), 'root': math.sqrt(max(xs))}", "metrics"},
	{"import hashlib, base64\nb = await tools.blob()\nreturn base64.b64encode(hashlib.sha256(b.encode()).digest()).decode()", "blob"},
	{"from itertools import groupby, chain\nrows = await tools.rows()\nreturn {k: list(g) for k, g in groupby(rows, key=lambda r: r['k'])}", "rows"},
	{"from functools import reduce, partial\ncall = partial(tools.fetch, region='eu')\nreturn reduce(lambda a, b: a + b, [await call(id=i) for i in (1, 2)])", "fetch"},
	{"sem = asyncio.Semaphore(4)\nasync def limited(i):\n    async with sem:\n        return await tools.job(i=i)\nreturn await asyncio.gather(*[limited(i) for i in range(9)])", "job"},
	{"return '{}: {:>5.1f}\\n'.format(name, await tools.value())", "value"},
	{"text = f'{await tools.name()!r:>{width}} {{literal}}'\nreturn text", "name"},
	{"return f'''\n  {await tools.title()}\n\n'''", "title"},
	{"def clean(s: str, *, upper: bool = False) -> str:\n    s = s.strip()\n    return s.upper() if upper else s\nreturn clean(await tools.text(), upper=True)", "text"},
	{"try:\n    await tools.a()\nexcept (ValueError, KeyError) as e:\n    return type(e).__name__\nelse:\n    return 1\nfinally:\n    await tools.b()", "a b"},
	{"tasks = [asyncio.create_task(tools.probe(host=h)) for h in hosts]\ndone, pending = await asyncio.wait(tasks, timeout=5)\nfor p in pending:\n    p.cancel()\nreturn [d.result() for d in done]", "probe"},
	{"from typing import Any, Optional\ndef pick(rows: list[dict[str, Any]], key: Optional[str] = None) -> dict | None:\n    return next((r for r in rows if r.get('key') == key), None)\nreturn pick(await tools.rows(), 'x')", "rows"},
	{"getattr(tools, 'ping')", "ping"},
	{"for n in ('ping', 'pong'):\n    await getattr(tools, n)()", "ping pong"},
	{"x = getattr(row, 'size', 0)\nreturn await tools.resize(n=x)", "resize"},
	{"from decimal import Decimal, ROUND_HALF_UP\np = Decimal(str(await tools.price()))\nreturn str(p.quantize(Decimal('0.01'), rounding=ROUND_HALF_UP))", "price"},
	{"import os.path\nreturn os.path.join('a', await tools.name())", "name"},
	{"def fib(n):\n    a, b = 0, 1\n    while n > 0:\n        a, b, n = b, a + b, n - 1\n    return a\nreturn await tools.report(n=fib(10))", "report"},
	{"lines = (await tools.read()).splitlines()\nreturn {i: line for i, line in enumerate(lines, 1) if line and not line.startswith('#')}", "read"},
	{"try:\n    await asyncio.wait_for(tools.slow(), timeout=3)\nexcept asyncio.TimeoutError:\n    await tools.cancel()", "cancel slow"},
	{"type = row['type']\nid = row['id']\nreturn await tools.open(kind=type, id=id)", "open"},
	{"async def walk(node, depth=0):\n    out = [node['id']]\n    for child in await tools.children(id=node['id']):\n        out += await walk(child, depth + 1)\n    return out\nreturn await walk(root)", "children"},
	{"async with asyncio.TaskGroup() as group:\n    one = group.create_task(tools.one())\n    two = group.create_task(tools.two())\nreturn one.result(), two.result()", "one two"},
	{"def retry(times):\n    def wrap(fn):\n        async def call(*args, **kwargs):\n            for _ in range(times):\n                try:\n                    return await fn(*args, **kwargs)\n                except Exception:\n                    pass\n        return call\n    return wrap\n@retry(3)\nasync def fetch(i):\n    return await tools.fetch(i=i)\nreturn await fetch(1)", "fetch"},
	{"a = await tools.a(); b = await tools.b(x=a)\nreturn b if b else None", "a b"},
	{"rows = [\n    await tools.row(i=i)  # one by one\n    for i in range(3)\n    if i % 2\n]\n\n\nreturn rows", "row"},
	{"x = 1 + \\\n    2\nreturn await tools.f(x=x)", "f"},
	{"with_t, n = tools, 3\nreturn await with_t.ping(n=n)", "ping"},
	{"results = {}\nfor name, tool in [('a', tools.a), ('b', tools.b)]:\n    results[name] = await tool()\nreturn results", "a b"},
	{"import json\nfrom json import JSONDecodeError\ntry:\n    data = json.loads(await tools.raw())\nexcept JSONDecodeError:\n    data = {}\nreturn json.dumps(data, indent=2, default=str)", "raw"},
	{"assert isinstance(n, int), 'n must be a number'\nreturn await tools.f(n=n)", "f"},
	{"global_limit = 5\ndef bump():\n    global counter\n    counter = counter + 1\ncounter = 0\nbump()\nreturn await tools.f(n=counter)", "f"},
	{"def counter():\n    n = 0\n    def inc():\n        nonlocal n\n        n += 1\n        return n\n    return inc\nc = counter()\nreturn await tools.f(n=c())", "f"},
	{"class Queue:\n    def __init__(self):\n        self._items = []\n        self.seen = 0\n    def push(self, x):\n        self._items.append(x)\n        self.seen += 1\n    @property\n    def size(self):\n        return len(self._items)\nq: Queue = Queue()\nq.push(await tools.next())\nreturn q.size", "next"},
	{"class Failed(Exception):\n    def __init__(self, code):\n        super().__init__(str(code))\n        self.code = code\ntry:\n    if await tools.check():\n        raise Failed(3)\nexcept Failed as e:\n    return e.code", "check"},
	{"class Base:\n    def __init__(self, n):\n        self._n = n\nclass Sub(Base):\n    def twice(self):\n        return self._n * 2\nreturn [s.twice() for s in [Sub(await tools.n())] if isinstance(s, Base) or isinstance(s, Sub)]", "n"},
	{"class Row:\n    def __init__(self, r):\n        self._id = r['id']\n    def __str__(self):\n        return self._id\nreturn [str(r) for r in map(Row, await tools.rows())]", "rows"},
	{"import functools\ndef logged(fn):\n    @functools.wraps(fn)\n    async def call(*args):\n        return await fn(*args)\n    return call\n@logged\nasync def go(i):\n    return await tools.go(i=i)\nreturn await go(1)", "go"},
	{"from dataclasses import dataclass\n@dataclass\nclass Total:\n    n: int = 0\n    def add(self, k):\n        self.n += k\nt1 = Total()\nt1.add(await tools.count())\nreturn t1.n", "count"},
	{"from enumerations import nothing" + "\n", "-"},
}

func TestOrdinaryProcedures(t *testing.T) {
	var programs []string
	for _, c := range ordinaryProcedures {
		got, err := Analyze(c.code)
		if err != nil {
			t.Errorf("refused: %v\n%s", err, c.code)
			continue
		}
		if c.tools == "-" { // the table would notice if everything were proven
			if got.Proven {
				t.Errorf("proven:\n%s", c.code)
			}
			continue
		}
		if !got.Proven || strings.Join(got.Signature, " ") != c.tools {
			t.Errorf("proven %v, %v; want %s; findings %v\n%s", got.Proven, got.Signature, c.tools, got.Findings, c.code)
		}
		programs = append(programs, c.code)
	}
	if proven := checkAgainstPython(t, programs); proven != len(programs) {
		t.Errorf("%d of %d are proven", proven, len(programs))
	}
}
