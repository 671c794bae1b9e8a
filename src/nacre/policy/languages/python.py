# ruff: noqa: E501 - lists of names
"""Python: short texts that only read files, compute and print.

Above: `interpreters` asks about `python3 -c`. Below: nothing. The text is read by Python's own parser, and must be made of
known expressions, modules, functions and methods; nothing in it leads to another module.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from nacre.policy.model import names
from nacre.policy.patterns import regex

if TYPE_CHECKING:
    import ast

_LONGEST = 2_000
# Modules that can be imported without opening a file, a socket or a process later.
_MODULES = names(
    "json sys math cmath re datetime time random string itertools functools operator collections statistics decimal fractions "
    "textwrap uuid hashlib base64 binascii struct calendar platform secrets unicodedata html urllib.parse bisect heapq "
    "zlib difflib pprint ast tomllib importlib.metadata"
)
# `import x; print(x.__version__)`, `x.__file__`: a module is there, which, and where. Its import is no more than a script of the project;
# these few do something at once.
_MODULE = r"(?!(?:antigravity|idlelib|turtledemo|test|os|subprocess|pty|code)\b)[A-Za-z][A-Za-z0-9_]*(?:\.[A-Za-z][A-Za-z0-9_]*)*(?: as (?!print\b)[A-Za-z]\w*)?"
_SHOWN = r"""(?:[A-Za-z][A-Za-z0-9_]*(?:\.version)?\.(?:__version__|__file__|__path__|[A-Za-z_]*(?i:version)|cuda)|'[^'\\\n]*'|"[^"\\\n]*")"""
_ONLY_IMPORTS = regex(
    rf"\s*(?:(?:import {_MODULE}(?:, ?{_MODULE})*|print\({_SHOWN}(?:, ?{_SHOWN})*\))\s*(?:;\s*|\n\s*|\Z))+"
)
_FUNCTIONS = names(
    "print len range sum min max abs round int float str list dict set tuple bool enumerate zip map filter any all repr ord "
    "chr hex bin oct sorted reversed divmod pow bytes frozenset iter next isinstance format complex slice ascii"
)
# Attributes of values and modules: methods that compute, constants, and nothing that leads to another module.
_ATTRIBUTES = names(
    "load loads dumps JSONDecodeError stdin stdout stderr argv version version_info platform executable maxsize byteorder exit "
    "write read readline readlines flush close splitlines buffer join split rsplit strip lstrip rstrip upper lower title capitalize "
    "casefold swapcase replace startswith endswith find rfind index rindex count zfill center ljust rjust isdigit isalpha isalnum "
    "isspace isupper islower isnumeric isdecimal isidentifier partition rpartition removeprefix removesuffix expandtabs encode decode hex "
    "items keys values get append extend insert pop sort reverse copy update setdefault add discard union intersection difference "
    "Counter OrderedDict defaultdict deque namedtuple most_common elements pi e tau inf nan sqrt floor ceil gcd lcm factorial log log2 "
    "log10 exp sin cos tan asin acos atan atan2 degrees radians hypot isclose isnan isinf trunc fsum prod comb perm fabs fmod modf "
    "datetime date time timedelta timezone now utcnow today isoformat fromisoformat fromtimestamp utcfromtimestamp strftime strptime timestamp "
    "total_seconds days seconds year month day hour minute second microsecond weekday isoweekday isocalendar utc monotonic perf_counter "
    "ctime gmtime localtime mktime time_ns randint random choice choices shuffle uniform randrange sample seed gauss token_hex "
    "token_urlsafe randbelow uuid3 uuid4 uuid5 NAMESPACE_DNS NAMESPACE_URL sha1 sha224 sha256 sha384 sha512 md5 blake2b digest hexdigest "
    "b64encode b64decode urlsafe_b64encode urlsafe_b64decode b32encode b32decode hexlify unhexlify pack unpack calcsize "
    "ascii_letters ascii_lowercase ascii_uppercase digits punctuation hexdigits whitespace dedent indent fill wrap shorten "
    "chain product permutations combinations accumulate islice groupby zip_longest repeat count cycle starmap takewhile dropwhile "
    "reduce partial mean median mode stdev variance pstdev pvariance Decimal Fraction quantize numerator denominator "
    "python_version system machine node release python_implementation month_name day_name "
    "search match findall finditer fullmatch compile group groups groupdict start end span sub subn escape IGNORECASE MULTILINE DOTALL "
    "quote unquote quote_plus unquote_plus urlparse urlencode parse_qs parse urljoin unescape normalize category name bisect_left "
    "crc32 adler32 compress decompress unified_diff ndiff pprint pformat itemgetter real imag conjugate bit_length bit_count "
    "to_bytes from_bytes is_integer as_integer_ratio fromkeys sep format sleep error"
)


def files_of_plain_python(code: str) -> list[str] | None:
    """The files that a text reads, if it is made only of what reads them, computes and prints."""
    if len(code) > _LONGEST:
        return None
    if _ONLY_IMPORTS.fullmatch(code):
        return []
    import ast  # noqa: PLC0415 - only who runs such texts pays for the parser
    import warnings  # noqa: PLC0415 - the same

    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            tree = ast.parse(code)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None
    nodes = list(ast.walk(tree))
    opened = {id(call.func): call for call in nodes if isinstance(call, ast.Call)}
    files: list[str] = []
    for node in nodes:
        if isinstance(node, ast.Name) and node.id == "open" and id(node) in opened:
            name = _opened(opened[id(node)])
            if name is None:
                return None
            files.append(name)
        elif not _is_plain_node(node):
            return None
    return files


def _opened(call: ast.Call) -> str | None:
    """The file of `open("name")`, if it is written out and only read."""
    texts = [getattr(item, "value", None) for item in call.args]
    keywords = {item.arg: getattr(item.value, "value", None) for item in call.keywords}
    mode = texts[1] if len(texts) > 1 else keywords.pop("mode", "r")
    keywords.pop("encoding", None)
    if not 1 <= len(texts) <= 2 or keywords or mode not in {"r", "rb", "rt"}:  # noqa: PLR2004 - name and mode
        return None
    return texts[0] if isinstance(texts[0], str) else None


def _is_plain_node(node: ast.AST) -> bool:
    match type(node).__name__:
        case "Import":
            return all(alias.name in _MODULES for alias in node.names)  # pyright: ignore[reportAttributeAccessIssue, reportUnknownVariableType, reportUnknownMemberType]
        case "ImportFrom":
            return _is_plain_import(node)
        case "Attribute":
            return node.attr in _ATTRIBUTES  # pyright: ignore[reportAttributeAccessIssue, reportUnknownVariableType, reportUnknownMemberType]
        case "Name":
            return _is_plain_name(node)
        case "arg" | "keyword":
            return not (node.arg or "").startswith("_")  # pyright: ignore[reportAttributeAccessIssue, reportUnknownVariableType, reportUnknownMemberType]
        case kind:
            return kind in _NODES


def _is_plain_import(node: ast.AST) -> bool:
    module: str | None = getattr(node, "module", None)
    imported: list[str] = [alias.name for alias in getattr(node, "names", ())]
    level: int = getattr(node, "level", 1)
    return not level and module in _MODULES and all(name in _ATTRIBUTES for name in imported)


def _is_plain_name(node: ast.AST) -> bool:
    """A builtin function that computes, or a name that the text itself makes (which hides no builtin)."""
    name: str = getattr(node, "id", "_")
    return name in _FUNCTIONS or (not name.startswith("_") and name not in _BUILTINS)


# Every other builtin: eval, exec, open, getattr, __import__, input, breakpoint ...
_BUILTINS = names(
    "aiter anext bytearray breakpoint callable classmethod compile copyright credits delattr dir eval exec exit getattr globals "
    "hasattr hash help id input issubclass license locals memoryview object open property quit setattr staticmethod super type vars"
)
_NODES = names(
    "Module Expr Assign AugAssign AnnAssign For If While Pass Break Continue Constant JoinedStr FormattedValue BinOp UnaryOp BoolOp "
    "Compare IfExp Call List Tuple Dict Set ListComp SetComp DictComp GeneratorExp comprehension Lambda arguments Subscript "
    "Slice Starred NamedExpr alias Load Store Del Delete Add Sub Mult Div FloorDiv Mod Pow LShift RShift BitOr BitXor BitAnd MatMult "
    "And Or Not Invert UAdd USub Eq NotEq Lt LtE Gt GtE Is IsNot In NotIn FunctionDef Return Try ExceptHandler Assert With withitem"
)
