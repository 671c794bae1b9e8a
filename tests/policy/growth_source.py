"""Scripts that grow: trees of a grammar, of which every step was accepted.

Above: `fuzz_sources` runs them in campaigns. A text is a tree whose nodes are productions of the grammar in
`fragments.txt` (lists, statements, words, insides of quotes, bodies of here-documents, arithmetic, patterns,
redirections). It begins as one command and grows at any node: another production takes its place, one goes
around it, or a part of a tree that grew before is grafted onto it. Only steps that the judge accepts stay, so
that nearly all texts are run, and a construct comes to stand deep inside others in ways that nobody wrote
down. What really happens is for the campaign.
"""

from __future__ import annotations

import random
import re
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, field

from claims import accepted
from fragments import fragments
from script_generator import RULES

from nacre.policy import Policy

_BUILTINS = (
    "shopt umask trap hash pushd popd dirs print alias exec command builtin times jobs setopt unsetopt "
    "emulate whence readarray string count contains random wait let nameref"
)
_NAMES = ("x", "y", "n", "i", "f", "v")
# Some functions have rules, too: a later text of a session calls one, or a program of that name.
_FUNCTIONS = ("f1", "g1")
_RULES: dict[str, object] = {
    "allow": [*RULES, *_BUILTINS.split(), *(f"{name} *" for name in _FUNCTIONS)],
    "allowed_variables": [*_NAMES],
}
_STRICT = Policy.from_mapping({**_RULES, "allow_writes": False})
_WRITING = Policy.from_mapping({**_RULES, "allow_writes": True})
_WRITING_SHARE = 0.15
_HOLE = re.compile(r"%([a-z]+[0-9]?)%")
_OWN = {"bash": "bash", "zsh": "zsh", "mksh": "ksh", "ksh": "ksh", "fish": "fish"}
_FIXED = {
    "name": (*_NAMES, *_NAMES, "REPLY"),
    "function": (*_FUNCTIONS, "k1", "c9"),  # the others must be functions where they are called
}
# The plainest productions of a kind, which fill the places of a new one.
_SEEDS = {
    "list": ("%stmt%",),
    "stmt": ("%cmd%",),
    "cmd": ("c1", 'c2 "$%name%"', "c3 $%name%", "c4 %word%"),
    "assign": ("%name%=a", "%name%=%word%"),
    "word": ("a", "a", "-o", "$%name%", '"$%name%"'),
    "q": ("a", "$%name%"),
    "tail": ("a", "-o"),
    "op": (":-",),
    "body": ("a\n", "$%name%\n"),
    "raw": ("a\n",),
    "raw1": ("a",),
    "raw2": ("b",),
    "special": ("$",),
    "pat": ("a", "*"),
    "expr": ("1", "%name%"),
    "test": ("-n $%name%",),
    "redir": ("2>&1", "< f"),
}
_PLAIN_SEEDS = {"cmd": ("c1", "c2 a", "c3 -o", "c4 %word%"), "word": ("a", "-o", "b1"), "q": ("a", " b")}
# How often a step is tried at a node of a kind; the insides of words are where shells differ most.
_INTEREST = {
    **dict.fromkeys(("raw", "raw2", "function"), 1),
    **dict.fromkeys(("list", "raw1", "special", "name"), 2),
    **dict.fromkeys(("stmt", "op", "redir"), 3),
    **dict.fromkeys(("cmd", "assign", "pat"), 4),
    **dict.fromkeys(("q", "tail", "body", "expr", "test"), 5),
    "word": 6,
}
# What ends a text, a loop or a function makes the rest of it idle.
_ENDING = re.compile(r"(?:exit|return|break|shift|set|exec) ?[^%]*|exec %.*")
_MOST_TEXT = 600
_SESSION = 0.12
_GRAFTS = 400
_SETTLED = 15


@dataclass
class Node:
    """One production, and what stands in its places."""

    kind: str
    text: str
    children: list[Node] = field(default_factory=list["Node"])

    def __str__(self) -> str:
        filled = iter(self.children)
        return _HOLE.sub(lambda _: str(next(filled)), self.text) if self.children else self.text

    def places(self) -> Iterator[tuple[Node, int]]:
        """Every child, as the node that it belongs to and its number there."""
        for at, child in enumerate(self.children):
            yield self, at
            yield from child.places()


class GrowthSource:
    """Trees for one shell from one seed."""

    def __init__(self, seed: int, shell: str) -> None:
        self.random = random.Random(f"growth/{seed}/{shell}")  # noqa: S311 - reproducible, not secret
        self.shell = shell
        self.productions = {kind: self._productions(kind) for kind in _SEEDS}
        self.tried: dict[tuple[str, str], int] = defaultdict(int)
        self.taken: dict[tuple[str, str], int] = defaultdict(int)
        # Parts of accepted trees, by their kinds.
        self.grafts: dict[str, list[Node]] = defaultdict(list)

    def _productions(self, kind: str) -> tuple[str, ...]:
        own = _OWN.get(self.shell, "")
        shared = () if own == "fish" else fragments(f"grown {kind}")
        try:
            return (*shared, *(fragments(f"grown {kind} of {own}") if own else ()))
        except KeyError:  # a kind of which this shell has no more than all others
            return shared

    def next(self) -> tuple[list[str], Policy]:
        """One text that has grown; sometimes two or three of one session."""
        policy = _WRITING if self.random.random() < _WRITING_SHARE else _STRICT
        holders = [Node("text", "%list%", [self._root()]) for _ in range(self._number_of_texts())]
        if not accepted([str(holder) for holder in holders], policy, self.shell):
            holders = [Node("text", "%list%", [self._seed("list")])]
        for _ in range(self.random.choice((4, 8, 12, 18))):
            self._grow(holders, self.random.choice(holders), policy)
        for holder in holders:
            self._remember(holder)
        return [str(holder) for holder in holders], policy

    def _number_of_texts(self) -> int:
        return self.random.choice((2, 3)) if self.random.random() < _SESSION else 1

    def _root(self) -> Node:
        """Something new, or what has grown before."""
        if self.grafts["list"] and self.random.random() < 0.6:
            return _copy(self.random.choice(self.grafts["list"]))
        return self._seed("list")

    # -- growing -------------------------------------------------------------------------------------------

    def _grow(self, holders: list[Node], holder: Node, policy: Policy) -> None:
        """Try one step, and take it back if the judge does not accept what came of it."""
        places = list(holder.places())
        interest = [_INTEREST[node.children[at].kind] for node, at in places]
        node, at = self.random.choices(places, interest)[0]
        old = node.children[at]
        if self.random.random() < 0.15 and self.grafts[old.kind]:
            key, new = None, _copy(self.random.choice(self.grafts[old.kind]))
        elif old.kind in _FIXED:
            key, new = None, self._seed(old.kind)
        else:
            production = self._production(old.kind)
            key, new = (old.kind, production), self._made(old.kind, production, old)
        node.children[at] = new
        texts = [str(each) for each in holders]
        fits = max(len(text) for text in texts) <= _MOST_TEXT and accepted(texts, policy, self.shell)
        if not fits:
            node.children[at] = old
        if key is not None:
            self.tried[key] += 1
            self.taken[key] += fits

    def _production(self, kind: str) -> str:
        choices = self.productions[kind]
        return self.random.choices(choices, [self._weight(kind, choice) for choice in choices])[0]

    def _weight(self, kind: str, production: str) -> float:
        """What is refused again and again is tried seldom, but never given up: it may fit elsewhere."""
        weight = 0.25 if _ENDING.fullmatch(production) else 1.0
        tried = self.tried[kind, production]
        return weight if tried < _SETTLED else weight * (0.03 + self.taken[kind, production] / tried)

    def _made(self, kind: str, production: str, old: Node) -> Node:
        """A node for a production; what stood there before may come to stand in it."""
        made = Node(kind, production)
        keep = self.random.random() < 0.6
        for hole in _HOLE.finditer(production):
            if keep and hole[1] == old.kind:
                made.children.append(old)
                keep = False
            else:
                made.children.append(self._seed(hole[1]))
        return made

    def _seed(self, kind: str) -> Node:
        if kind in _FIXED:
            return Node(kind, self.random.choice(_FIXED[kind]))
        seeds = _PLAIN_SEEDS.get(kind, _SEEDS[kind]) if self.shell == "fish" else _SEEDS[kind]
        if self.random.random() < 0.3:
            seeds = tuple(item for item in self.productions[kind] if not _HOLE.search(item)) or seeds
        text = self.random.choice(seeds)
        return Node(kind, text, [self._seed(hole[1]) for hole in _HOLE.finditer(text)])

    def _remember(self, holder: Node) -> None:
        parents = list(holder.places())
        for node, at in [parents[0], *self.random.sample(parents, min(3, len(parents)))]:
            part = node.children[at]
            kept = self.grafts[part.kind]
            if part.kind in _FIXED or not part.children:
                continue
            if len(kept) < _GRAFTS:
                kept.append(_copy(part))
            else:
                kept[self.random.randrange(_GRAFTS)] = _copy(part)


def _copy(node: Node) -> Node:
    return Node(node.kind, node.text, [_copy(child) for child in node.children])
