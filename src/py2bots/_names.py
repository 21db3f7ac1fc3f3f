"""Names that Python 3, its library or NumPy 2 no longer has, and their replacements.

A name is (module, name in it); the module of built-in functions is "builtins".
"""

from __future__ import annotations

Name = tuple[str, str]

MODULES = {
    "__builtin__": "builtins",
    "anydbm": "dbm",
    "BaseHTTPServer": "http.server",
    "commands": "subprocess",
    "ConfigParser": "configparser",
    "Cookie": "http.cookies",
    "cookielib": "http.cookiejar",
    "copy_reg": "copyreg",
    "cPickle": "pickle",
    "cProfile": "cProfile",
    "cStringIO": "io",
    "dummy_thread": "_thread",
    "exceptions": "builtins",
    "future_builtins": "builtins",
    "HTMLParser": "html.parser",
    "htmlentitydefs": "html.entities",
    "httplib": "http.client",
    "md5": "hashlib",
    "Queue": "queue",
    "repr": "reprlib",
    "robotparser": "urllib.robotparser",
    "ScrolledText": "tkinter.scrolledtext",
    "sets": "builtins",
    "sha": "hashlib",
    "SocketServer": "socketserver",
    "StringIO": "io",
    "thread": "_thread",
    "Tkinter": "tkinter",
    "tkMessageBox": "tkinter.messagebox",
    "urllib2": "urllib.request",
    "urlparse": "urllib.parse",
    "UserDict": "collections",
    "UserList": "collections",
    "UserString": "collections",
}
"""Modules by their old name."""

_ABCS = """
    Callable Container Hashable ItemsView Iterable Iterator KeysView Mapping MappingView MutableMapping MutableSequence
    MutableSet Sequence Set Sized ValuesView
""".split()
_NUMPY = {
    **dict.fromkeys("Inf Infinity PINF infty".split(), "inf"),
    **dict.fromkeys("NaN NAN".split(), "nan"),
    "NINF": "-inf",
    "alltrue": "all",
    "bool8": "bool_",
    "cfloat": "complex128",
    "clongfloat": "clongdouble",
    "complex_": "complex128",
    "cumproduct": "cumprod",
    "float_": "float64",
    "in1d": "isin",
    "int0": "intp",
    "longcomplex": "clongdouble",
    "longfloat": "longdouble",
    "mat": "asmatrix",
    "object0": "object_",
    "product": "prod",
    "rank": "ndim",
    "round_": "round",
    "row_stack": "vstack",
    "singlecomplex": "complex64",
    "sometrue": "any",
    "str0": "str_",
    "string_": "bytes_",
    "uint0": "uintp",
    "unicode_": "str_",
}

RENAMED: dict[Name, Name] = {
    ("base64", "decodestring"): ("base64", "decodebytes"),
    ("base64", "encodestring"): ("base64", "encodebytes"),
    ("inspect", "getargspec"): ("inspect", "getfullargspec"),
    ("itertools", "ifilterfalse"): ("itertools", "filterfalse"),
    ("itertools", "izip_longest"): ("itertools", "zip_longest"),
    ("os", "getcwdu"): ("os", "getcwd"),
    ("string", "letters"): ("string", "ascii_letters"),
    ("string", "lowercase"): ("string", "ascii_lowercase"),
    ("string", "uppercase"): ("string", "ascii_uppercase"),
    ("sys", "maxint"): ("sys", "maxsize"),
    ("time", "clock"): ("time", "process_time"),
    **{("numpy", old): ("numpy", new) for old, new in _NUMPY.items() if not new.startswith("-")},
    **{("collections", name): ("collections.abc", name) for name in _ABCS},
}
"""Names in modules that were renamed."""

_TEXT_METHODS = """
    capitalize center count expandtabs find index ljust lower lstrip replace rfind rindex rjust rstrip split strip
    swapcase upper zfill
""".split()
_HASHES = "md5 sha1 sha224 sha256 sha384 sha512".split()
_HEAPS = "heapify heappop heappush heappushpop heapreplace nlargest nsmallest".split()
_BISECTIONS = "bisect bisect_left bisect_right insort insort_left insort_right".split()
_NUMPY_TYPES = {"bool": "bool", "complex": "complex", "float": "float", "int": "int", "long": "int", "object": "object"}
_RANDOM = """
    betavariate choice expovariate gammavariate gauss getrandbits getstate lognormvariate normalvariate paretovariate
    randint random randrange sample seed setstate shuffle triangular uniform vonmisesvariate weibullvariate
""".split()

REPLACED: dict[Name, str] = {
    ("builtins", "apply"): "py2_apply",
    ("builtins", "basestring"): "str",
    ("builtins", "buffer"): "memoryview",
    ("builtins", "bytes"): "str",
    ("builtins", "cmp"): "py2_cmp",
    ("builtins", "coerce"): "py2_coerce",
    ("builtins", "file"): "open",
    ("builtins", "intern"): "str",
    ("builtins", "long"): "int",
    ("builtins", "oct"): "py2_oct",
    ("builtins", "raw_input"): "input",
    ("builtins", "reduce"): "py2_reduce",
    ("builtins", "round"): "py2_round",
    ("builtins", "unichr"): "chr",
    ("builtins", "unicode"): "str",
    ("builtins", "xrange"): "range",
    ("builtins", "StandardError"): "Exception",
    ("binascii", "crc32"): "py2_crc32",
    ("fractions", "gcd"): "py2_gcd",
    ("hashlib", "new"): "Py2Hash",
    **{("hashlib", name): f"py2_hashing({name!r})" for name in _HASHES},
    **{("heapq", name): f"py2_{name}" for name in _HEAPS},
    **{("bisect", name): f"py2_{name.removesuffix('_right')}" for name in _BISECTIONS},
    ("Queue", "PriorityQueue"): "Py2PriorityQueue",
    ("itertools", "ifilter"): "filter",
    ("itertools", "imap"): "map",
    ("itertools", "izip"): "zip",
    ("md5", "md5"): "py2_hashing('md5')",
    ("md5", "new"): "py2_hashing('md5')",
    ("numpy", "NINF"): "(-float('inf'))",
    **{("numpy", old): new for old, new in _NUMPY_TYPES.items()},
    ("numpy", "str"): "str",
    ("numpy", "unicode"): "str",
    ("operator", "div"): "py2_div",
    ("operator", "ge"): "py2_ge",
    ("operator", "gt"): "py2_gt",
    ("operator", "idiv"): "py2_idiv",
    ("operator", "le"): "py2_le",
    ("operator", "lt"): "py2_lt",
    ("sets", "ImmutableSet"): "frozenset",
    ("sets", "Set"): "set",
    ("sha", "new"): "py2_hashing('sha1')",
    ("sha", "sha"): "py2_hashing('sha1')",
    ("string", "atof"): "float",
    ("string", "atoi"): "int",
    ("string", "atol"): "int",
    ("string", "join"): "py2_join",
    ("string", "joinfields"): "py2_join",
    ("string", "maketrans"): "str.maketrans",
    **{("string", name): f"str.{name}" for name in _TEXT_METHODS},
    ("zlib", "adler32"): "py2_adler32",
    ("zlib", "crc32"): "py2_crc32",
}
"""Names that are now an expression without a module."""

SEEDED: dict[Name, str] = {
    ("random", "Random"): "Py2Random",
    **{("random", name): f"py2_random.{name}" for name in _RANDOM},
}
"""The same for programs that set a seed, which get the random numbers of Python 2."""

LISTS: dict[Name, str] = {
    ("builtins", "filter"): "py2_filter",
    ("builtins", "map"): "py2_map",
    ("builtins", "max"): "py2_max",
    ("builtins", "min"): "py2_min",
    ("builtins", "range"): "py2_range",
    ("builtins", "sorted"): "py2_sorted",
    ("builtins", "zip"): "py2_zip",
}
"""Functions whose meaning changed, if they are passed on rather than called."""

FLOATING = {("math", "floor"), ("math", "ceil")}
"""Functions that returned floats and now return integers."""

TEXT_CODECS = {"hex", "base64", "zlib", "bz2", "rot13", "rot_13", "string_escape"}
"""Encodings of strings that now exist only for bytes."""

RENAMED_ATTRIBUTES = {"iterkeys": "keys", "itervalues": "values", "iteritems": "items"}
VIEWS = {"viewkeys": "keys", "viewvalues": "values", "viewitems": "items"}
