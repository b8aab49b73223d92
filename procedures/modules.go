package procedures

import "strings"

// What code may take from Python's library. Modules hold more than they document: asyncio.sys leads to every frame,
// and so to the tools object. So each name of each module is allowed by itself, and only when no argument of it is
// evaluated, looked up as an attribute, or turned into a class by a string.

// allowance is how a name of a module may be used.
type allowance uint8

const (
	denied      allowance = iota
	anywhere              // as any value
	onFunctions           // only called with one positional argument, as a decorator of a function
	onClasses             // only as a decorator of a class
	asBase                // only as a base class
	isSubmodule           // only followed by a name of that module
)

// allowedModules has the allowed names of the allowed modules. A mark behind a name restricts it: =1 to onFunctions,
// =@ to onClasses, =^ to asBase, =. to isSubmodule.
var allowedModules = parseModules(`
asyncio: ALL_COMPLETED BoundedSemaphore CancelledError Condition Event FIRST_COMPLETED FIRST_EXCEPTION Lock LifoQueue
	PriorityQueue Queue QueueEmpty QueueFull Semaphore TaskGroup TimeoutError as_completed create_task ensure_future
	gather iscoroutine iscoroutinefunction run shield sleep timeout to_thread wait wait_for
base64: a85decode a85encode b16decode b16encode b32decode b32encode b64decode b64encode b85decode b85encode
	decodebytes encodebytes standard_b64decode standard_b64encode urlsafe_b64decode urlsafe_b64encode
bisect: bisect bisect_left bisect_right insort insort_left insort_right
collections: ChainMap Counter OrderedDict UserDict UserList abc=. defaultdict deque namedtuple
collections.abc: AsyncGenerator AsyncIterable AsyncIterator Awaitable ByteString Callable Collection Container Coroutine
	Generator Hashable ItemsView Iterable Iterator KeysView Mapping MappingView MutableMapping MutableSequence MutableSet
	Reversible Sequence Set Sized ValuesView
dataclasses: FrozenInstanceError KW_ONLY MISSING dataclass=@ field is_dataclass
datetime: MAXYEAR MINYEAR UTC date datetime time timedelta timezone tzinfo
decimal: Context ConversionSyntax Decimal DecimalException DivisionByZero FloatOperation Inexact InvalidOperation
	Overflow ROUND_05UP ROUND_CEILING ROUND_DOWN ROUND_FLOOR ROUND_HALF_DOWN ROUND_HALF_EVEN ROUND_HALF_UP ROUND_UP
	Rounded Subnormal Underflow getcontext localcontext setcontext
functools: cache cmp_to_key lru_cache partial reduce total_ordering wraps=1
hashlib: blake2b blake2s md5 new pbkdf2_hmac scrypt sha1 sha224 sha256 sha384 sha3_224 sha3_256 sha3_384 sha3_512
	sha512 shake_128 shake_256
heapq: heapify heappop heappush heappushpop heapreplace merge nlargest nsmallest
itertools: accumulate chain combinations combinations_with_replacement compress count cycle dropwhile filterfalse
	groupby islice pairwise permutations product repeat starmap takewhile tee zip_longest
json: JSONDecodeError JSONDecoder JSONEncoder dumps loads
math: acos acosh asin asinh atan atan2 atanh cbrt ceil comb copysign cos cosh degrees dist e erf erfc exp exp2 expm1
	fabs factorial floor fmod frexp fsum gamma gcd hypot inf isclose isfinite isinf isnan isqrt lcm ldexp lgamma log
	log10 log1p log2 modf nan nextafter perm pi pow prod radians remainder sin sinh sqrt tan tanh tau trunc ulp
operator: add and_ concat contains countOf eq floordiv ge getitem gt indexOf inv invert is_ is_not itemgetter le
	lshift lt matmul mod mul ne neg not_ or_ pos pow rshift sub truediv truth xor
os: environ getenv linesep path=. sep
os.path: basename commonpath commonprefix dirname isabs join normcase normpath relpath sep split splitext
random: Random betavariate choice choices expovariate gammavariate gauss getrandbits lognormvariate normalvariate
	paretovariate randbytes randint random randrange sample seed shuffle triangular uniform vonmisesvariate
	weibullvariate
re: A ASCII DOTALL I IGNORECASE M MULTILINE Match Pattern S U UNICODE VERBOSE X compile error escape findall finditer
	fullmatch match purge search split sub subn
statistics: NormalDist StatisticsError correlation covariance fmean geometric_mean harmonic_mean linear_regression
	mean median median_grouped median_high median_low mode multimode pstdev pvariance quantiles stdev variance
string: Template ascii_letters ascii_lowercase ascii_uppercase capwords digits hexdigits octdigits printable
	punctuation whitespace
textwrap: dedent fill indent shorten wrap
time: asctime ctime gmtime localtime mktime monotonic monotonic_ns perf_counter perf_counter_ns process_time sleep
	strftime strptime time time_ns
typing: Annotated Any AnyStr AsyncGenerator AsyncIterable AsyncIterator Awaitable Callable ClassVar Collection
	Coroutine Counter DefaultDict Deque Dict Final FrozenSet Generator Generic Hashable Iterable Iterator List Literal
	Mapping MutableMapping MutableSequence NamedTuple=^ NewType NoReturn Optional OrderedDict ParamSpec Protocol
	Sequence Set Sized SupportsFloat SupportsInt TYPE_CHECKING Text Tuple TypeAlias TypeVar TypedDict=^ Union cast final
uuid: NAMESPACE_DNS NAMESPACE_OID NAMESPACE_URL NAMESPACE_X500 UUID uuid3 uuid4 uuid5
`)

func parseModules(table string) map[string]map[string]allowance {
	marks := map[string]allowance{"": anywhere, "1": onFunctions, "@": onClasses, "^": asBase, ".": isSubmodule}
	modules := map[string]map[string]allowance{}
	module := ""
	for _, word := range strings.Fields(table) {
		if name, ok := strings.CutSuffix(word, ":"); ok {
			module = name
			modules[module] = map[string]allowance{}
			continue
		}
		name, mark, _ := strings.Cut(word, "=")
		modules[module][name] = marks[mark]
	}
	return modules
}

// allowedBuiltins may be used as any value. getattr, setattr, delattr, type and dir have rules of their own, and
// everything else that Python has built in is denied.
var allowedBuiltins = wordSet(`
	abs aiter all anext any ascii bin bool bytearray bytes callable chr classmethod complex dict divmod enumerate filter
	float format frozenset hasattr hash hex id input int isinstance issubclass iter len list map max memoryview min next
	object oct ord pow print property range repr reversed round set slice sorted staticmethod str sum super tuple zip
	Ellipsis NotImplemented
	ArithmeticError AssertionError AttributeError BaseException BaseExceptionGroup BlockingIOError BrokenPipeError
	BufferError BytesWarning ChildProcessError ConnectionAbortedError ConnectionError ConnectionRefusedError
	ConnectionResetError DeprecationWarning EOFError EncodingWarning EnvironmentError Exception ExceptionGroup
	FileExistsError FileNotFoundError FloatingPointError FutureWarning GeneratorExit IOError ImportError ImportWarning
	IndentationError IndexError InterruptedError IsADirectoryError KeyError KeyboardInterrupt LookupError MemoryError
	ModuleNotFoundError NameError NotADirectoryError NotImplementedError OSError OverflowError PendingDeprecationWarning
	PermissionError ProcessLookupError RecursionError ReferenceError ResourceWarning RuntimeError RuntimeWarning
	StopAsyncIteration StopIteration SyntaxError SyntaxWarning SystemError SystemExit TabError TimeoutError TypeError
	UnboundLocalError UnicodeDecodeError UnicodeEncodeError UnicodeError UnicodeTranslateError UnicodeWarning UserWarning
	ValueError Warning ZeroDivisionError`)

// deniedBuiltins run text, read or change names, or open the way to modules and files.
var deniedBuiltins = wordSet(`
	eval exec compile globals locals vars breakpoint help open exit quit license copyright credits`)

// deniedModuleNames are modules that lead everywhere. Nobody gives them as inputs, but an interpreter might.
var deniedModuleNames = wordSet("builtins ctypes gc importlib inspect marshal pickle sys traceback")

// ruledBuiltins have rules of their own.
var ruledBuiltins = wordSet("getattr setattr delattr type dir")

func isBuiltinName(name string) bool {
	return allowedBuiltins[name] || deniedBuiltins[name] || ruledBuiltins[name] || isDunder(name)
}

// isDunder reports whether a name belongs to the interpreter.
func isDunder(name string) bool {
	return len(name) > 4 && strings.HasPrefix(name, "__") && strings.HasSuffix(name, "__")
}

// isMangled reports whether Python changes the name inside of classes.
func isMangled(name string) bool {
	return strings.HasPrefix(name, "__") && !strings.HasSuffix(name, "__")
}

// allowedMethods are the dunder names that a class may define. None of them is asked for an attribute by name, takes
// part in making classes or copies, or changes what patterns and checks see.
var allowedMethods = wordSet(`
	__abs__ __add__ __aenter__ __aexit__ __aiter__ __and__ __anext__ __await__ __bool__ __bytes__ __call__ __ceil__
	__complex__ __contains__ __delitem__ __divmod__ __enter__ __eq__ __exit__ __float__ __floor__ __floordiv__
	__format__ __ge__ __getitem__ __gt__ __hash__ __iadd__ __iand__ __imul__ __index__ __init__ __int__ __invert__
	__ior__ __isub__ __iter__ __ixor__ __le__ __len__ __length_hint__ __lshift__ __lt__ __matmul__ __missing__ __mod__
	__mul__ __ne__ __neg__ __next__ __or__ __pos__ __post_init__ __pow__ __radd__ __rand__ __repr__ __reversed__
	__rmul__ __ror__ __round__ __rshift__ __rsub__ __rtruediv__ __setitem__ __str__ __sub__ __truediv__ __trunc__
	__xor__`)

// matchableBuiltins compare the whole subject in a class pattern with one positional part.
var matchableBuiltins = wordSet("bool bytearray bytes dict float frozenset int list set str tuple")

// isReflective reports whether an attribute, of whatever object, leads to frames and names, and from there to the
// tools object. The obj of an AttributeError is the object whose attribute was missing, and the keywords of a partial are
// those of a function that may be the library's own.
func isReflective(name string) bool {
	for _, prefix := range reflectivePrefixes {
		if strings.HasPrefix(name, prefix) {
			return true
		}
	}
	return reflective[name]
}

// reflectivePrefixes begin the attributes of generators, coroutines, async generators, tracebacks and code, and of what
// runs or evaluates text.
var reflectivePrefixes = []string{"gi_", "cr_", "ag_", "tb_", "co_", "subprocess_", "create_subprocess_", "evaluate"}

var reflective = wordSet(`
	func keywords attrname cell_contents fget fset fdel mro run_in_executor _asyncio_future_blocking _get_loop
	_determine_new_args obj f_back f_builtins f_code f_generator f_globals f_lasti f_lineno f_locals f_trace f_trace_lines f_trace_opcodes
	get_coro get_stack print_stack get_context get_loop _callbacks _context _coro _current_frames _evaluate _fut_waiter
	_getframe _loop _ready _scheduled _source_traceback`)

// isFormatting reports whether a method of strings reads attributes that its text names.
func isFormatting(name string) bool { return name == "format" || name == "format_map" }
