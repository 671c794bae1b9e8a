"""`dataclass` and `field` for the keeper, without the imports of the standard module.

`dataclasses` imports `inspect`, and with it a parser and a disassembler: 1.6 MB of memory and a tenth of the
keeper's start-up, for a handful of records. Type checkers see the standard module; at run time a class gets
slots, an `__init__`, equality and a `repr`, which is all that the keeper uses.

A `sparse` record holds only the fields that were given, all by name; the others are the defaults of its
class. It costs one dictionary, however many fields there are.
"""

from __future__ import annotations

TYPE_CHECKING = False  # without `typing`, a quarter of the keeper's start-up
if TYPE_CHECKING:
    from dataclasses import dataclass, field, replace
    from dataclasses import dataclass as sparse
else:

    class _Field:
        def __init__(self, default_factory: object) -> None:
            self.default_factory = default_factory

    def field(*, default_factory: object) -> _Field:
        """A default that is created for each record."""
        return _Field(default_factory)

    def dataclass(**_options: bool) -> object:
        """The decorator: the fields are the annotations of the class, in order."""
        return _record

    def replace(record: object, **changes: object) -> object:
        """A copy with other values in some fields."""
        return type(record)(**_content(record) | changes)

    def _content(record: object) -> dict[str, object]:
        return getattr(record, "__dict__", None) or {name: getattr(record, name) for name in record.__slots__}

    def sparse(**_options: bool) -> object:
        """The decorator: the fields are the annotations of the class, by name."""
        return _sparse_record

    def _sparse_record(plain: type) -> type:
        plain.__init__, plain.__eq__, plain.__hash__, plain.__repr__ = _fill, _is_same, None, _show
        plain.__slots__ = ()
        return plain

    def _fill(self: object, **fields: object) -> None:
        self.__dict__ = fields

    def _is_same(self: object, other: object) -> bool:
        return type(self) is type(other) and _content(self) == _content(other)

    def _show(self: object) -> str:
        given = ", ".join(f"{name}={value!r}" for name, value in _content(self).items())
        return f"{type(self).__name__}({given})"

    def _record(plain: type) -> type:
        names = list(plain.__annotations__)
        body = {name: value for name, value in vars(plain).items() if name not in ("__dict__", "__weakref__")}
        defaults = {name: body.pop(name) for name in names if name in body}
        body |= {"__slots__": tuple(names), "__init__": _init(names, defaults)}
        body |= {"__eq__": _is_same, "__hash__": None, "__repr__": _show}
        return type(plain.__name__, (), body)

    def _init(names: list[str], defaults: dict[str, object]) -> object:
        """Generated as source text, as the standard module does: the fastest possible `__init__`."""
        room = {f"_{name}": getattr(value, "default_factory", value) for name, value in defaults.items()}
        arguments = [f"{name}=_{name}" if name in defaults else name for name in names]
        lines = [
            f" self.{name} = _{name}() if {name} is _{name} else {name}"
            if isinstance(defaults.get(name), _Field)
            else f" self.{name} = {name}"
            for name in names
        ]
        exec("\n".join([f"def __init__(self, {', '.join(arguments)}):", *lines]), room)  # noqa: S102  # our own names only
        return room["__init__"]


__all__ = ["dataclass", "field", "replace", "sparse"]
