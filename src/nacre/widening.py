"""Ask the person to open what the sandbox has refused: once, or until the server ends.

Above it: `service`. Below: the place, which builds the wider sandbox, and `sandbox.grants`.

A command that was refused something has run, and nacre does not repeat it. When the same text is run again in
the same directory, the person is asked first. No tool argument can ask or answer, and a no is final.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from nacre.sandbox.grants import grant_for
from nacre.sandbox.profile import is_below
from nacre.sandbox.refusals import find_refusals, sentence

if TYPE_CHECKING:
    from nacre.gate import Ask
    from nacre.model import Command, Result
    from nacre.places.confined import Confinement
    from nacre.places.connection import KeeperConnection
    from nacre.places.place import Place
    from nacre.sandbox.grants import Grant
    from nacre.sandbox.profile import Refusal

    Key = tuple[str, str]

ONLY_THE_PERSON = "Only the person can change that."
RUN_AGAIN = "Run the same command again, and the person is asked."
REMEMBERED = 100  # commands


class Widening:
    """What was refused in one place, and what the person has decided about it."""

    def __init__(self, place: Place, own_files: tuple[str, ...], *, asks: bool) -> None:
        self._place = place
        self._own_files = tuple(map(place.files.real_path, own_files))
        self._asks = asks
        self._refused: dict[Key, tuple[Grant, ...]] = {}
        self._answered_no: set[Grant] = set()

    def explain(
        self,
        command: Command,
        result: Result,
        held: Confinement,
        ask: Ask | None,
        hosts: tuple[Refusal, ...] = (),
    ) -> tuple[str, ...]:
        """A sentence for each thing that a command was refused; all are remembered for its next run.

        `hosts` were refused while it ran.
        """
        found = hosts
        if not result.ok:
            found = (*hosts, *find_refusals(result, held.profile, self._place.files, mounts=held.mounts))
        can_ask = self._asks and ask is not None and command.session is None
        free = [each.path for each in held.profile.placeholders]  # these names are released only at the end
        asked = [can_ask and not any(is_below(each.path, path) for path in free) for each in found]
        grants = [self._grant(each) if yes else None for each, yes in zip(found, asked, strict=True)]
        self._note(command, tuple(dict.fromkeys(grant for grant in grants if grant is not None)))
        return tuple(
            sentence(each, held.profile.level, RUN_AGAIN if grant is not None else ONLY_THE_PERSON)
            for each, grant in zip(found, grants, strict=True)
        )

    def _grant(self, refusal: Refusal) -> Grant | None:
        grant = grant_for(refusal, self._place.files, self._own_files)
        return None if grant in self._answered_no else grant

    def _note(self, command: Command, grants: tuple[Grant, ...]) -> None:
        self._refused.pop(_key(command), None)
        if grants:
            self._refused[_key(command)] = grants
        while len(self._refused) > REMEMBERED:
            del self._refused[next(iter(self._refused))]

    async def admit(self, command: Command, ask: Ask | None) -> KeeperConnection | None:
        """Ask about earlier refusals of this command; the keeper to run it in, if not the usual one."""
        grants = self._refused.get(_key(command), ())
        if not grants or ask is None or command.session is not None:
            return None
        from nacre.gate import Question  # noqa: PLC0415  # loads the policy, which few sandboxes need

        wanted = "; ".join(map(str, grants))
        question = Question(
            command.text,
            command.working_directory,
            "The sandbox has refused that before. Nothing of it is remembered when nacre ends.",
            rememberable=True,
            environment=command.environment,
            stdin=command.stdin or "",
            opening=f"May this command leave the sandbox in {command.working_directory}, to {wanted}?",
            remembering="allow that to every command until nacre ends",
        )
        answer = await ask(question)
        self._refused.pop(_key(command), None)
        if answer == "no":
            self._answered_no.update(grants)
            return None
        return self._place.widen(grants, for_all=answer == "session")


def _key(command: Command) -> Key:
    return command.text, command.working_directory
