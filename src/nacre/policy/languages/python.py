# ruff: noqa: E501 - lists of names
"""Python: short texts that only read files, compute and print.

Above: `interpreters` asks about `python3 -c`. Below: nothing. The text is read by Python's own parser, and must be made of
known expressions, modules, functions and methods; nothing in it leads to another module.
"""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

from nacre.policy.model import UNKNOWN, names
from nacre.policy.patterns import regex

if TYPE_CHECKING:
    import ast

_LONGEST = 10_000
# Modules that can be imported without opening a file, a socket or a process later.
_MODULES = names(
    "json sys math cmath re datetime time random string itertools functools operator collections statistics decimal fractions "
    "textwrap uuid hashlib base64 binascii struct calendar platform secrets unicodedata html urllib.parse bisect heapq "
    "zlib difflib pprint ast tomllib importlib.metadata csv yaml os keyword ipaddress glob pathlib xml.etree.ElementTree configparser"
)
# `import x; print(x.__version__)`, `x.__file__`: a module is there, which, and where. Its import is no more than a script of the project;
# these few do something at once.
_MODULE_ALONE = r"(?!(?:antigravity|idlelib|turtledemo|test|os|subprocess|pty|code)\b)[A-Za-z][A-Za-z0-9_]*(?:\.[A-Za-z][A-Za-z0-9_]*)*"
# `from x import y`: what it holds is shown as it is. Nothing takes the place of `print`, which gets texts: names are
# plain letters, because Python takes others for them (a wide `r`).
_PLAIN_NAME = r"(?!print\b)[A-Za-z][A-Za-z0-9_]*"
_MODULE = rf"{_MODULE_ALONE}(?: as {_PLAIN_NAME})?"
_NAMES = rf"(?:{_PLAIN_NAME}|__version__)(?: as {_PLAIN_NAME})?"
_SHOWN = r"""(?:(?!print\b)[A-Za-z][A-Za-z0-9_]*(?=[,)])|__version__(?=[,)])|[A-Za-z][A-Za-z0-9_]*(?:\.version)?\.(?:__version__|__file__|__path__|[A-Za-z_]*(?i:version)|cuda)|[A-Za-z][A-Za-z0-9_]*\.get_version\(\)|torch\.(?:cuda\.(?:is_available|device_count)|backends\.mps\.is_available)\(\)|'[^'\\\n]*'|"[^"\\\n]*")"""
# Where the project's own modules are, as `PYTHONPATH=src` says it: a directory below.
_ADDED = r"""sys\.path\.(?:insert\(0, ?|append\()(?:"(?:\.|(?!(?:[^"]*/)?\.\./?)[A-Za-z_][\w./-]*)"|'(?:\.|(?!(?:[^']*/)?\.\./?)[A-Za-z_][\w./-]*)')\)"""
_ADDED_DIRECTORY = regex(r"""sys\.path\.\w+\((?:0, ?)?["']([^"']*)""")
_ONLY_IMPORTS = regex(
    rf"\s*(?:(?:{_ADDED}|import {_MODULE}(?:, ?{_MODULE})*|from {_MODULE_ALONE} import {_NAMES}(?:, ?{_NAMES})*|print\({_SHOWN}(?:, ?{_SHOWN})*\))\s*(?:;\s*|\n\s*|\Z))+"
)
# `# coding: utf-7`: then a comment holds lines of code. Only the first two lines are looked at by Python, here all.
_OTHER_ENCODING = regex(r"(?im)^[ \t\f]*#.*coding[:=](?![ \t]*utf-?8(?![\w.-]))")
# Of Python's own modules only known names are taken.
_FROM = regex(r"\bfrom ([A-Za-z0-9_]+)")
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
    "search match findall finditer fullmatch compile group groups groupdict start end span sub subn escape IGNORECASE MULTILINE DOTALL VERBOSE I M S X "
    "quote unquote quote_plus unquote_plus urlparse urlencode parse_qs parse urljoin unescape normalize category name bisect_left "
    "crc32 adler32 compress decompress unified_diff ndiff pprint pformat itemgetter real imag conjugate bit_length bit_count "
    "DictReader reader fieldnames walk iter_child_nodes get_docstring unparse dump FunctionDef AsyncFunctionDef ClassDef Import ImportFrom "
    "body lineno end_lineno names module read_text read_bytes write_text write_bytes writer DictWriter writerow writerows writeheader writelines is_file is_dir exists stem suffix "
    "to_bytes from_bytes is_integer as_integer_ratio fromkeys sep format sleep error "
    # Of paths, documents and settings: what they read is not known.
    "glob iglob rglob iterdir parent parents parts with_suffix with_name joinpath resolve absolute relative_to as_posix stat st_size st_mtime "
    "exists isfile isdir getsize getmtime basename dirname splitext abspath relpath expanduser "
    "getroot iter findtext iterfind tag attrib text tail fromstring tostring ElementTree ParseError "
    "ConfigParser sections has_option has_section getint getboolean getfloat "
    "args func value targets elts id attr ctx op left right comparators orelse test annotation returns decorator_list bases keywords arg asname level "
    "prefix base_prefix exec_prefix getrecursionlimit getsizeof getdefaultencoding getfilesystemencoding hexversion fromhex literal_eval "
    "kwlist iskeyword mul ip_address ip_network ip_interface hosts num_addresses network_address broadcast_address "
    "netmask prefixlen is_private is_global is_loopback "
    "Name Attribute Call Constant Assign Expr Module Return If For While With Try arguments"
)


# Of PyYAML's functions those that make plain values and nothing else: `load` makes objects, and calls what a text names.
_OF_YAML = names("safe_load safe_load_all safe_dump safe_dump_all YAMLError")
# Of modules that can do anything, what may stand behind their names.
_OF_MODULE = {
    "yaml": _OF_YAML,
    "os": names("cpu_count getcwd getpid getppid getenv environ linesep sep path listdir walk"),
    "pathlib": names("Path"),
}
# What leads from the files that are named to others. Nothing is written then by such a name.
_LEADS_ON = names(
    "glob iglob rglob iterdir parent parents with_suffix with_name joinpath resolve absolute relative_to listdir walk exists isfile isdir "
    "getsize getmtime expanduser"
)
# Modules whose functions open files by any name, and with whose values `write` does.
_OPENS_FILES = names("xml.etree.ElementTree configparser")
_OF_MODULES = frozenset(name for known in _OF_MODULE.values() for name in known)


def files_of_plain_python(code: str) -> list[str] | None:
    """The files that a text reads, if it is made only of what reads them, computes and prints."""
    used = uses_of_plain_python(code)
    return None if used is None or used[1] else used[0]


def uses_of_plain_python(code: str) -> tuple[list[str], list[str]] | None:
    """The files that a text reads and writes, each by a name that is written out, if it does no more."""
    if len(code) > _LONGEST or _OTHER_ENCODING.search(code):
        return None
    if _ONLY_IMPORTS.fullmatch(code) and not any(
        found.group(1) in sys.stdlib_module_names for found in _FROM.finditer(code)
    ):
        return _ADDED_DIRECTORY.findall(code), []
    import ast  # noqa: PLC0415 - only who runs such texts pays for the parser
    import warnings  # noqa: PLC0415 - the same

    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            tree = ast.parse(code)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None
    return _uses_of(list(ast.walk(tree)))


def _uses_of(nodes: list[ast.AST]) -> tuple[list[str], list[str]] | None:
    """The files that the parts of a text read and write; None if one of the parts may do more."""
    calls = {id(func): node for node in nodes if (func := getattr(node, "func", None)) is not None}
    kinds = {type(node).__name__ for node in nodes}
    attributes = {getattr(node, "attr", "") for node in nodes} | {
        getattr(node, "name", None) for node in nodes if type(node).__name__ == "alias"
    }
    writes_paths = not attributes.isdisjoint(_WRITES_PATHS)
    texts = _texts_of_names(nodes)
    files: tuple[list[str], list[str]] = ([], [])
    for node in nodes:
        kind = _opens(node)
        if kind and id(node) in calls:
            opened = _opened(calls[id(node)], texts, with_mode=kind == "open")
            if opened is None or not opened[0]:
                return None
            files[opened[1] or (writes_paths and kind == "Path")].extend(opened[0])
        elif kind or not _is_plain_node(node) or not _suits_paths(node, calls):
            return None
    has_paths = "Path" in attributes or any(getattr(node, "id", "") == "Path" for node in nodes)
    leads_on = not attributes.isdisjoint(_LEADS_ON) or (has_paths and "Div" in kinds)
    opens_files = any(
        getattr(node, "module", None) in _OPENS_FILES or getattr(node, "name", None) in _OPENS_FILES
        for node in nodes
    )
    if opens_files and "write" in attributes:
        return None
    if leads_on or opens_files:
        files[0].append(UNKNOWN)
    if (leads_on and writes_paths) or UNKNOWN in files[1]:
        return None  # `Path("a") / x` is another file
    return files if _names_are_known(nodes) and _modules_are_safe(nodes) else None


def _opens(node: ast.AST) -> str:
    """`open`, `Path` and `pathlib.Path`: what they are called with is looked at."""
    if getattr(node, "id", "") in {"open", "Path"}:
        return getattr(node, "id", "")
    return "Path" if getattr(node, "attr", "") == "Path" else ""


def _texts_of_names(nodes: list[ast.AST]) -> dict[str, list[str]]:
    """The texts of variables that are given them once: `path = "a"`, `for path in ["a", "b"]`."""
    given: dict[str, list[list[str]]] = {}
    for node in nodes:
        name = getattr(node, "id", "") or getattr(node, "arg", "") or getattr(node, "asname", "")
        if name and type(getattr(node, "ctx", None)).__name__ != "Load":
            given.setdefault(name, []).append([])
    for node in nodes:
        match type(node).__name__:
            case "Assign":
                targets: list[ast.AST] = getattr(node, "targets", [])
                values = [getattr(node, "value", node)]
            case "For":
                targets = [getattr(node, "target", node)]
                values = list(getattr(getattr(node, "iter", node), "elts", ()))
            case _:
                continue
        texts = [getattr(value, "value", None) for value in values]
        name = getattr(targets[0], "id", "") if len(targets) == 1 else ""
        known = [text for text in texts if isinstance(text, str)]
        if name in given and len(known) == len(texts):
            given[name][0] = known
    made = {getattr(node, "name", None) for node in nodes}
    return {
        name: texts[0] for name, texts in given.items() if len(texts) == 1 and texts[0] and name not in made
    }


def _environment_is_read(nodes: list[ast.AST]) -> bool:
    """Whether `os.environ` is only asked for one variable: set, it decides what some modules run."""
    asked = {
        id(getattr(node, "value", None))
        for node in nodes
        if getattr(node, "attr", "") == "get"
        or (type(node).__name__ == "Subscript" and type(getattr(node, "ctx", None)).__name__ == "Load")
    }
    imported = any(
        type(node).__name__ == "alias" and getattr(node, "name", "") == "environ" for node in nodes
    )
    return not imported and all(id(node) in asked for node in nodes if getattr(node, "attr", "") == "environ")


def _modules_are_safe(nodes: list[ast.AST]) -> bool:
    """Whether `yaml` and `os` stand nowhere but before what is harmless: under other names they would not be seen."""
    for module, known in _OF_MODULE.items():
        imported = [
            node for node in nodes if type(node).__name__ == "alias" and getattr(node, "name", "") == module
        ]
        if any(getattr(node, "asname", None) for node in imported):
            return False
        safe = {id(getattr(node, "value", None)) for node in nodes if getattr(node, "attr", "") in known}
        if any(id(node) not in safe for node in nodes if getattr(node, "id", "") == module):
            return False
    return _environment_is_read(nodes)


def _names_are_known(nodes: list[ast.AST]) -> bool:
    """Whether every name is made by the text, or computes: what else there is depends on the version."""
    given, imported = _made_names(nodes)
    made = given | imported
    if any(name.startswith("__") for name in made):
        return False  # `import json as __builtins__`
    read = [node for node in nodes if type(getattr(node, "ctx", None)).__name__ == "Load"]
    used = {getattr(node, "id", "") for node in read if type(node).__name__ == "Name"}
    unknown = used - made - _FUNCTIONS - {"open"}
    looked_at = {id(child) for node in nodes for child in _looked_at(node)}
    # `def len(x): x("out", "w")` looks at nothing.
    hidden = not given.isdisjoint(_LOOKS | _MODULES)
    if hidden and any(
        getattr(node, "id", "") == "file" or getattr(node, "attr", "") == "path" for node in read
    ):
        return False
    kept = any(getattr(node, "id", "") == "file" and id(node) not in looked_at for node in read)
    return all(map(_EXCEPTION.fullmatch, unknown)) and not kept and _search_path_is_shown(nodes)


def _made_names(nodes: list[ast.AST]) -> tuple[set[str], set[str]]:
    """The names that a text gives to something, and those that it imports as they are."""
    given: set[str] = set()
    imported: set[str] = set()
    for node in nodes:
        match type(node).__name__:
            case "Name" if type(getattr(node, "ctx", None)).__name__ != "Load":
                given.add(getattr(node, "id", ""))
            case "FunctionDef" | "ExceptHandler":
                given.add(getattr(node, "name", None) or "")
            case "arg":
                given.add(getattr(node, "arg", ""))
            case "alias":
                name: str = getattr(node, "name", "")
                other: str | None = getattr(node, "asname", None)
                (given if other else imported).add(other or name.partition(".")[0])
            case _:
                pass
    return given, imported


def _search_path_is_shown(nodes: list[ast.AST]) -> bool:
    """Whether `sys.path` is only printed: what is added to it is where the next module comes from."""
    used = [node for node in nodes if getattr(node, "attr", "") == "path" and _name_before(node) != "os"]
    shown: set[int] = set()
    for node in nodes if used else ():
        if type(node).__name__ in {"For", "comprehension"}:
            shown.add(id(getattr(node, "iter", None)))
        for item in _given_to_known(node):
            shown.add(id(getattr(item, "value", item) if type(item).__name__ == "Starred" else item))
    return all(id(node) in shown and _name_before(node) == "sys" for node in used)


def _name_before(node: ast.AST | None) -> str:
    """`os` of `os.path`."""
    return getattr(getattr(node, "value", None), "id", "")


def _looked_at(node: ast.AST) -> list[ast.AST]:
    """Values that are neither called nor kept: `file` writes in Python 2, unless the text has made another."""
    match type(node).__name__:
        case "Attribute" | "FormattedValue" | "Subscript":
            return [getattr(node, "value", node)]
        case "For" | "comprehension":
            return [getattr(node, "iter", node)]
        case "Call":
            return _given_to_known(node)
        case _:
            return []


# Functions that neither call nor keep what they are given.
_LOOKS = names("print len str sorted load open Path")
_LOOKS_OF_PATHS = names("join relpath basename splitext getsize")


def _given_to_known(node: ast.AST) -> list[ast.AST]:
    """What a function gets that only looks at it: `print(x)`, `json.load(x)`, `", ".join(x)`, `os.path.join(x)`."""
    func = getattr(node, "func", None)
    value, name = getattr(func, "value", None), getattr(func, "attr", "")
    loads = name in {"load", "loads"} and getattr(value, "id", "") in _MODULES
    joins = name == "join" and type(value).__name__ == "Constant"
    of_path = name in _LOOKS_OF_PATHS and getattr(value, "attr", "") == "path" and _name_before(value) == "os"
    looks = getattr(func, "id", "") in _LOOKS or loads or joins or of_path
    return list(getattr(node, "args", ())) if looks else []


def _opened(call: ast.AST, texts: dict[str, list[str]], *, with_mode: bool) -> tuple[list[str], bool] | None:
    """The files of `open("name")` or `Path("name")`, and whether they are written; a name that is not written out."""
    given: list[ast.AST] = list(getattr(call, "args", ()))
    keywords = {
        item.arg: getattr(item.value, "value", None) for item in getattr(call, "keywords", ()) if with_mode
    }
    if not given or (not with_mode and (len(given) != 1 or getattr(call, "keywords", ()))):
        return None
    mode = getattr(given[1], "value", None) if len(given) > 1 else keywords.pop("mode", "r")
    for harmless in ("encoding", "newline", "errors"):
        keywords.pop(harmless, None)
    if len(given) > 2 or keywords or mode not in _MODES:  # noqa: PLR2004 - name and mode
        return None
    text = getattr(given[0], "value", None)
    if type(given[0]).__name__ == "Constant":
        named = [text] if isinstance(text, str) else []
    else:
        named = texts.get(getattr(given[0], "id", ""), [UNKNOWN])
    if type(given[0]).__name__ == "Starred" or any("\0" in name and name != UNKNOWN for name in named):
        return None
    return named, mode not in {"r", "rb", "rt"}


_MODES = names("r rb rt w wb wt a at ab x xt xb w+ r+")
_WRITES_PATHS = names("write_text write_bytes")
_PARTS_OF_TIME = names("year month day hour minute second microsecond tzinfo fold")


def _suits_paths(node: ast.AST, calls: dict[int, ast.AST]) -> bool:
    """`s.replace("a", "b")` and `x.copy()` compute; with one argument they move and copy the file of a path."""
    attribute = getattr(node, "attr", "")
    if attribute not in {"replace", "copy", "walk"}:
        return True
    call = calls.get(id(node))
    given: list[ast.AST] = getattr(call, "args", [])
    named: set[str | None] = {item.arg for item in getattr(call, "keywords", ())}
    if attribute == "walk":  # that of a path follows links if it is told to
        return call is not None and len(given) <= 1 and not named
    if call is None or any(type(item).__name__ == "Starred" for item in given):
        return False
    if attribute == "copy":
        return not given and not named
    return len(given) > 1 or (not given and named <= _PARTS_OF_TIME)


def _is_plain_node(node: ast.AST) -> bool:
    match type(node).__name__:
        case "Import":
            return all(alias.name in _MODULES for alias in node.names)  # pyright: ignore[reportAttributeAccessIssue, reportUnknownVariableType, reportUnknownMemberType]
        case "ImportFrom":
            return _is_plain_import(node)
        case "Attribute":
            return _is_plain_attribute(node)
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
    if module in _OPENS_FILES:
        return not level and all(name in _ATTRIBUTES for name in imported)
    if module == "pathlib" and not level:
        # By this name alone: what it is called with is looked at.
        return imported == ["Path"] and all(alias.asname is None for alias in getattr(node, "names", ()))
    known = _OF_MODULE.get(module or "", _ATTRIBUTES)
    return not level and module in _MODULES and all(name in known for name in imported)


def _is_plain_name(node: ast.AST) -> bool:
    """A builtin function that computes, or a name that the text itself makes (which hides no builtin)."""
    name: str = getattr(node, "id", "_")
    if name == "Path":
        return False  # but where it is called
    return name in _FUNCTIONS or name == "_" or (not name.startswith("_") and name not in _BUILTINS)


# Exceptions, constants and functions that all versions have, or that only make numbers and texts.
_EXCEPTION = regex(r"[A-Z]\w*(?:Error|Exception|Warning|Iteration|Interrupt|Exit)|Ellipsis|NotImplemented")
# What `format` looks up in its arguments leads anywhere: "{0.x[y]}".
_LOOKS_UP = regex(r"(?s:.*)\{[^:!{}]*[.\[]")


def _is_plain_attribute(node: ast.AST) -> bool:
    """A known method or constant; of `format` only where the text is written out.

    None is set: what the modules do with `sys.executable` and the like would be something else.
    """
    name: str = getattr(node, "attr", "_")
    if type(getattr(node, "ctx", None)).__name__ != "Load":
        return False
    if name == "path":
        return _name_before(node) in {"os", "sys"}
    if name in _OF_MODULES:
        return True
    if name == "format":
        text = getattr(getattr(node, "value", None), "value", None)
        return isinstance(text, str) and _LOOKS_UP.match(text) is None
    return name in _ATTRIBUTES


# Every other builtin: eval, exec, open, getattr, __import__, input, breakpoint ...
_BUILTINS = names(
    "aiter anext bytearray breakpoint callable classmethod compile copyright credits delattr dir eval exec exit getattr globals "
    "hasattr hash help id input issubclass license locals memoryview object open property quit setattr staticmethod super type vars "
    # Those of Python 2.
    "apply buffer coerce execfile intern raw_input reload"
)
_NODES = names(
    "Module Expr Assign AugAssign AnnAssign For If While Pass Break Continue Constant JoinedStr FormattedValue BinOp UnaryOp BoolOp "
    "Compare IfExp Call List Tuple Dict Set ListComp SetComp DictComp GeneratorExp comprehension Lambda arguments Subscript "
    "Slice Starred NamedExpr alias Load Store Del Delete Add Sub Mult Div FloorDiv Mod Pow LShift RShift BitOr BitXor BitAnd MatMult "
    "And Or Not Invert UAdd USub Eq NotEq Lt LtE Gt GtE Is IsNot In NotIn FunctionDef Return Try ExceptHandler Assert With withitem Raise"
)
