"""What can go wrong in nacre itself. A command that fails is a result, never one of these.

NacreError                 .code (stable) · .hint (what to do next)
├─ RequestError            the caller can fix it: bad arguments, unknown names, a limit reached
├─ Refused                 the policy or the person said no
├─ Asking                  the person is being asked; the client repeats the call with the answer
├─ PlaceError              the place failed, not the command: no shell there, connection lost
└─ InternalError           a bug of ours
"""

from __future__ import annotations


class NacreError(Exception):
    """Something that nacre could not do, worded so that the reader knows what to do next."""

    code = "error"

    def __init__(self, message: str, *, code: str | None = None, hint: str = "") -> None:
        super().__init__(message)
        self.message = message
        self.hint = hint
        if code is not None:
            self.code = code

    def __str__(self) -> str:
        return f"{self.message} {self.hint}" if self.hint else self.message


class RequestError(NacreError):
    """The caller can fix it."""

    code = "bad_request"


class Refused(NacreError):  # noqa: N818  # a refusal is an answer, not a fault
    """The policy or the person said no."""

    code = "denied"

    def __init__(self, message: str, *, code: str | None = None, hint: str = "", rule: str = "") -> None:
        super().__init__(message, code=code, hint=hint)
        self.rule = rule  # the deciding rule


class Asking(NacreError):  # noqa: N818  # a state, not a fault
    """The person is being asked, and the client repeats the call with the answer (MCP of 2026)."""

    code = "asking"


class PlaceError(NacreError):
    """The place failed, not the command."""

    code = "place_failed"


class InternalError(NacreError):
    """A bug of ours."""

    code = "internal"
