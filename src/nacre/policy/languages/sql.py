# ruff: noqa: E501 - lists of names
"""Statements for sqlite3, psql and mysql that query and change tables, and nothing else.

Above: `programs`. Below: the records of this package. Statements begin with a known word, call known functions (a name
before a parenthesis, also in quotes), and hold no comments, no backslashes (but `G` behind one ends a statement of mysql), and no
variables of psql (`:x`), whose values it reads again. Of the clients' own commands those that only show something are known.
"""

from __future__ import annotations

from nacre.policy.languages import LONGEST, TOO_LONG, Action, UnknownTextError
from nacre.policy.model import names
from nacre.policy.patterns import regex

_TOKEN = regex(
    r"""(?P<space>\s+)|(?P<string>'(?:[^'\\]|'')*')|(?P<quoted>"(?:[^"\\]|"")+"|`[^`\\]+`|\[[^\]\\]+\])"""
    r"""|(?P<number>(?>0[xX][0-9A-Fa-f]+|[0-9]+(?:\.[0-9]*)?(?:[eE][+-]?[0-9]+)?)(?![0-9A-Za-z_.]))|(?P<word>[A-Za-z_][A-Za-z0-9_]*)"""
    r"""|(?P<open>\()|(?P<end>;|\\G)|(?P<other>::(?!:)|(?!--|/\*)[-+*/%<>=!|&~,.)?])"""
)
_STATEMENTS = names(
    "select with insert update delete replace explain values create alter drop begin commit rollback end analyze reindex "
    "pragma vacuum show describe desc use truncate savepoint release start table"
)
_FUNCTIONS = names(
    "abs avg cast ceil ceiling changes char char_length coalesce concat concat_ws count cume_dist current_date current_time "
    "current_timestamp curdate curtime date date_add date_format date_sub date_trunc datediff datetime day dayname dayofmonth dayofweek "
    "dayofyear dense_rank exists exp extract field find_in_set first_value floor format from_unixtime generate_series glob greatest group_concat "
    "hex hour if ifnull iif in initcap instr interval json json_agg json_array json_array_length json_build_object json_each json_extract json_object "
    "json_patch json_query json_set json_tree json_type json_valid jsonb_agg jsonb_array_elements jsonb_build_object lag last_insert_id "
    "last_insert_rowid last_value lead least left length like ln locate log lower lpad ltrim max md5 min minute mod month monthname not now "
    "nth_value ntile nullif number octet_length over percent_rank pg_database_size pg_relation_size pg_size_pretty pg_table_size "
    "pg_total_relation_size position power printf quarter quote random rank regexp_replace repeat replace reverse right round row_number rpad rtrim second "
    "sign split_part sqlite_version sqrt strftime string_agg strpos substr substring substring_index sum time timediff timestampdiff to_char "
    "to_date to_number to_timestamp total total_changes trim trunc typeof unhex unicode unix_timestamp unixepoch unnest upper using uuid "
    "values version week weekday when year zeroblob and or as on from where filter partition array row any all some distinct select "
    "then else by join set having limit offset union except intersect case between returning is "
    "array_agg array_length array_to_string string_to_array bool_and bool_or age date_part jsonb_pretty jsonb_array_length "
    "jsonb_object_keys jsonb_build_array json_build_array row_to_json to_json to_jsonb json_object_agg jsonb_object_agg regexp_match regexp_matches"
)
_TYPES = names(
    "varchar char character nvarchar nchar decimal numeric float double int integer bigint smallint tinyint bit binary varbinary timestamp "
    "datetime time key unique check primary foreign constraint default enum"
)
# And behind a column that is called `engine`: what ends it, or says that it is one.
_TYPES_OF_COLUMNS = _TYPES | names(
    "text tinytext mediumtext longtext json blob set date year boolean not null , ) ( ."
)
_PRAGMAS = names(
    "table_info table_xinfo table_list index_list index_info index_xinfo foreign_key_list foreign_key_check foreign_keys database_list "
    "integrity_check quick_check user_version schema_version journal_mode page_size page_count freelist_count encoding compile_options "
    "collation_list function_list module_list pragma_list synchronous cache_size busy_timeout auto_vacuum optimize"
)
# Words with which a statement opens files, and things whose making is code.
_NEVER = names("outfile dumpfile infile fsdir zipfile execute")
_MAKES = names("create alter drop")
# What may be made, altered or dropped; a system, a role or a subscription runs or reaches something.
_MADE = names(
    "table index unique view temp temporary materialized schema sequence type or if unlogged global local database column domain"
)
_NEVER_MADE = names(
    "virtual function procedure trigger language extension server event user role tablespace aggregate"
)
# Settings of a table that say where its file is, or which other server holds it.
_PLACES = names("directory connection file_name")
# To MySQL, with or without `=` behind `engine`; others read any file, reach other servers, or load code.
_ENGINES = names("innodb myisam memory heap aria archive csv blackhole")
_SETTINGS = ("alter", "database")
_STARTED = names("transaction")
_SHOWS = names(
    ".tables .schema .indexes .indices .headers .header .databases .dump .help .show .stats .timer .width .separator .nullvalue .eqp "
    ".explain .fullschema .limit .quit .exit .changes .mode .version .dbinfo .echo .bail"
)
# What only others take for quotes; in brackets there may be numbers.
_NO_QUOTES = {
    "mysql": regex(r"\["),
    # And names with escapes: U&"!0061" UESCAPE '!'.
    "psql": regex(r"`|\[(?![0-9, ]+\])|[Uu]&[\"']"),
    "sqlite3": regex(r"(?!)"),
}
# The end of an expression: of `(x)` and `x[1]` PostgreSQL takes what is behind a dot for a function, too.
_VALUE = regex(r"\)|\[[0-9, ]+\]")
# Members of what functions give that are columns; words before a parenthesis that call nothing.
_MEMBERS = names("value key ordinality *")
_BEFORE_ALIAS = names("with ordinality as")
# Functions without a parenthesis, beside those that begin with `current_`.
_CALLED_BY_NAME = names("session_user system_user user localtime localtimestamp")
# Calls that PostgreSQL knows by another name where none is given: `btrim.f from trim('a')`.
_RENAMED = names("cast trim extract")
_BEFORE_TABLE = names("from join lateral")
_BEFORE_LIST = names("select set by returning values")
_BEFORE_EXPRESSION = _BEFORE_LIST | names("where on having limit offset when then else")
# PostgreSQL cuts names off behind this many bytes: two longer ones may be the same.
_LONGEST_NAME = 63
_NO_CALLS = names(
    "in from where and or not as on join select then else when by having limit offset union except intersect case between is any all "
    "some exists over filter using set values returning partition distinct array row into lateral"
)
# What is in a table is printed; all other copies read and write files, or run programs.
_COPIES_OUT = regex(
    r"copy\s+[a-z_][a-z0-9_]*(?:\.[a-z_][a-z0-9_]*)?\s+to\s+stdout(?:\s+(?:with\s+)?csv(?:\s+header)?)?\s*;?\Z"
)
_SHOWN_ARGUMENT = regex(r"[A-Za-z0-9_.,|%*?'\" -]*\Z")
# Not `\encoding x`: in some encodings a quote is a part of the letter before it.
_META = regex(
    r"\\(?:encoding|(?:d[A-Za-z]*\+?|l\+?|z|x|conninfo|timing|pset|h|\?)(?:[ \t]+[A-Za-z0-9_.*\"]+)?)[ \t]*\Z"
)


def sql_actions(text: str, client: str) -> list[Action]:
    """What a text for a database client would do beyond querying and changing tables."""
    if len(text) > LONGEST:
        return [TOO_LONG]
    stripped = text.strip()
    if client == "sqlite3" and stripped.startswith("."):
        return _dot_command(stripped)
    if client == "psql" and stripped.startswith("\\"):
        known = _META.match(stripped) is not None
        return [] if known else [Action("run", "this command of psql can run programs or open files")]
    if client == "psql" and _COPIES_OUT.match(stripped.casefold()):
        return []
    try:
        _read(text, client)
    except UnknownTextError as error:
        return [Action("unknown", str(error) or "this statement is not understood")]
    return []


def _dot_command(text: str) -> list[Action]:
    name, _, rest = text.partition(" ")
    if name in _SHOWS and "\n" not in text and _SHOWN_ARGUMENT.match(rest):
        return []
    return [Action("run", f"`{name}` of sqlite3 can run programs or open files")]


def _read(text: str, client: str) -> None:
    """Every token of every statement; what is not known raises."""
    if _NO_QUOTES[client].search(text):
        raise UnknownTextError("quotes of another database")  # no quotes here: a statement ends inside
    before: list[str] = []
    at = 0
    while at < len(text):
        found = _TOKEN.match(text, at)
        if found is None:
            raise UnknownTextError
        at = found.end()
        kind, token = found.lastgroup or "", found.group()
        if kind == "space":
            if "\n" in token and text.startswith((".", "\\"), at):
                raise UnknownTextError("a line that begins like a command of the client")
            if "\n" in token and client == "mysql" and before[:1] == ["use"]:
                before = []  # to the client the end of the line is the end of it
        elif kind == "word" and client == "mysql" and token.casefold().endswith("delimiter"):
            # The client looks for it everywhere: from there on, something else ends a statement.
            raise UnknownTextError("`delimiter` says what ends a statement")
        elif kind == "end":
            if "G" in token and client != "mysql":
                raise UnknownTextError
            _check_statement(before, client)
            before = []
        else:
            _token(kind, token.casefold(), before)
            before.append(token.casefold() if kind != "string" else "'")
    _check_statement(before, client)


def _check_statement(statement: list[str], client: str) -> None:
    if client == "psql" and any(len(piece.encode()) > _LONGEST_NAME for piece in statement):
        raise UnknownTextError("a name that PostgreSQL cuts off")
    if client == "mysql" and statement[:1] and statement[0] in _MAKES and "engine" in statement:
        _check_engine(statement)
    _check_members(statement, client)


def _check_engine(statement: list[str]) -> None:
    """`create table t (a int) engine=connect file_name=...`: where it is no name of a column."""
    for at, piece in enumerate(statement):
        behind = [item for item in statement[at + 1 : at + 3] if item != "="]
        if piece == "engine" and behind and not (behind[0] in _ENGINES or behind[0] in _TYPES_OF_COLUMNS):
            raise UnknownTextError(f"the engine `{behind[0][:20]}` is not known")


def _check_members(statement: list[str], client: str) -> None:
    """`x.f from lower('a') as x`: of what a function gives PostgreSQL takes a member for a function, too."""
    if client != "psql" or "." not in statement:
        return
    given = _given_by_functions(statement)
    for at in range(1, len(statement) - 1):
        root, member = statement[at - 1].strip('"'), statement[at + 1]
        if statement[at] == "." and root in given and member not in _MEMBERS:
            raise UnknownTextError(
                f"`{root}.{member}` can call a function; write the column without `{root}.`"
            )


def _is_source(statement: list[str], at: int) -> bool:
    """Whether a piece stands in the list behind `from` or `join`, and not in an expression."""
    depth = 0
    passed: set[str] = set()
    for before in range(at - 1, -1, -1):
        piece = statement[before]
        if piece == ")":
            depth += 1
        elif piece == "(":
            name = statement[before - 1] if before and not depth else ""
            if name[:1].isalpha() and name not in _NO_CALLS:
                return False
            depth = max(depth - 1, 0)
        elif not depth and piece in _BEFORE_TABLE:
            return statement[before - 1] != "distinct"
        elif not depth and piece in (_BEFORE_LIST if "," in passed else _BEFORE_EXPRESSION):
            return False
        elif not depth:
            passed.add(piece)
    return False


def _given_by_functions(statement: list[str]) -> set[str]:
    """The names of functions that are called, and those that stand behind a call: `lower('a') as x`."""
    given = {"ordinality"}  # which may be such a name itself
    calls: list[bool] = []
    first = statement.index("(") if "(" in statement else -1
    for at, piece in enumerate(statement):
        name = statement[at - 1].strip('"') if at else ""
        closes = piece == ")" and calls and calls.pop()
        if piece == "(":
            if name == "from" and statement[at - 2 : at - 1] == ["rows"]:
                raise UnknownTextError("`rows from` is not known")
            is_table = at == first and _names_table(statement[:at])
            if name in _RENAMED and _is_source(statement, at - 1):
                raise UnknownTextError(f"`{name}` is no table")
            calls.append(name[:1].isalpha() and name not in _NO_CALLS and not is_table)
            given.update([name] if calls[-1] else [])
        elif closes or piece.startswith("current_") or piece in _CALLED_BY_NAME:
            given.add(piece)
            behind = [item for item in statement[at + 1 : at + 5] if item not in _BEFORE_ALIAS]
            given.update(item.strip('"') for item in behind[:1])
    return given


def _token(kind: str, token: str, before: list[str]) -> None:
    if not before and (kind != "word" or token not in _STATEMENTS):
        raise UnknownTextError(f"a statement that begins with `{token[:20]}`")
    if before[:1] == ["vacuum"] and (kind != "word" or token == "into"):  # noqa: S105 - a word of the language
        raise UnknownTextError("`vacuum into` writes a file")
    if before[-1:] == ["pragma"] and token not in _PRAGMAS:
        raise UnknownTextError(f"the setting `{token}`")
    if before[:1] == ["pragma"] and "=" in before and kind != "number":
        _pragma_value(token)
    if kind in {"quoted", "string"} and token.strip("\"'`[]") in _NEVER:
        raise UnknownTextError(f"`{token[:20]}` opens files")  # to sqlite a name in any quotes is one
    if kind == "word" and (token in _NEVER or (before[:1] and before[0] in _MAKES and token in _NEVER_MADE)):
        raise UnknownTextError(f"`{token}` opens files or runs code")
    if len(before) == 1:
        _second(before[0], token)
    if len(before) > 1:
        _later(kind, token, before)
    if kind == "open" and before:
        _call(before)


def _second(first: str, token: str) -> None:
    """What may be made, altered, dropped or started."""
    known = _MADE if first in _MAKES else _STARTED if first == "start" else None
    if known is not None and (token not in known or (first, token) == _SETTINGS):
        raise UnknownTextError(f"`{first} {token[:20]}` opens files, runs code or reaches others")


def _later(kind: str, token: str, before: list[str]) -> None:
    """What is called without a parenthesis, and where the file of a table is."""
    if before[-1] == "." and _VALUE.match(before[-2]) and kind != "other":
        raise UnknownTextError(f"`).{token[:20]}` can call a function")
    given = kind in {"string", "quoted"} or token == "="  # noqa: S105 - a sign
    if before[0] in _MAKES and before[-1] in _PLACES and given:
        raise UnknownTextError(f"`{before[-1]}` names a file or another server")


def _pragma_value(token: str) -> None:
    if token not in {"on", "off", "true", "false", "wal", "delete", "normal", "full", "memory", "truncate"}:
        raise UnknownTextError(f"the setting `{token}`")


def _call(before: list[str]) -> None:
    """A parenthesis: what stands before it is a known function, a table, a type or no name at all."""
    name = before[-1]
    if name[0] in '"`[':
        name = name.strip('"`[]')
    elif not (name[0].isalpha() or name[0] in "_'"):
        return
    if name in _FUNCTIONS or name in _TYPES or (before[0] == "pragma" and name in _PRAGMAS):
        return
    if before == ["explain"]:
        return  # `explain (analyze, buffers) select ...`
    if not _names_table(before):
        raise UnknownTextError(f"the function `{name}` is not known")


def _names_table(before: list[str]) -> bool:
    """`create table t(`, `create index i on t(`, `insert into t(`, `references t(`, `with recursive n(`."""
    last = before[-2] if len(before) > 1 else ""
    if before[0] in _MAKES and last == "references":
        return True
    if "(" in before or "select" in before or "as" in before:
        return False
    if before[0] == "create" and "table" in before[1:3]:
        return True
    if before[0] == "create" and "index" in before[1:3]:
        return last in {"on", "."}
    if before[0] in {"insert", "replace"}:
        return last in {"into", "."}
    return before[0] == "with" and last in {"with", "recursive"}
