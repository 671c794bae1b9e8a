"""elvish: exceptions instead of exit codes, and streams that are tied to a block. Pure.

A persistent shell runs a loop that reads, line by line, the name of the file with its next command. Every
command is a background job of elvish (`turn`), in a namespace that goes from command to command:

- elvish closes the files of a redirection where its block ends, also for jobs that the block has started:
  they would go on with closed streams. So a command that leaves jobs behind reports, and then waits in its
  block (`hold`) until no job is left (`release`), or until there are too many that wait.
- elvish counts its jobs, and does not name them. That a command has left one is seen by the count, or, where
  an old one may have ended meanwhile, supposed for a text with `&`.
- jobs start later than the command goes on: it waits a moment for their processes, to name them.
- a text that does not compile returns an invalid namespace (`<ns 0x0>`), and using it crashes
  elvish.

The exit of a program is reported as the code, not in words. Every other exception is shown and is code 2, as
it is in `elvish -c`; a signal is 128 plus its number.
"""

from __future__ import annotations

import re

from nacre.dialects.dialect import (
    Dialect,
    Ending,
    Shell,
    TurnRequest,
    WithChannel,
    once_as_argument,
    split_record,
)
from nacre.keeper.wire import SCRIPT_MARK

CONTROL = 3
RUN_FILE = "run"
# What elvish calls a directory that is gone.
_NOWHERE = "/unknown/pwd"
_SAYS_NOTHING = re.compile(r"\s*(?:var|set|tmp|del|fn|use|cd)\s[^;|\n]*")
_VALUES_REMARK = (
    "In a session of elvish values (`put`, `+ 1 2`) are not shown: use `echo`, `pprint` or `to-lines`."
)
LOOP = r"""
use file
use re
set notify-bg-job-success = $false
var ns = (ns [&])
var fresh = $ns
var holding = $false
var held = []
var known = []
var is = [&yes=$true &no=$false]

fn code-of {|e|
  var code = 2
  try {
    var reason = $e[reason]
    if (eq $reason[type] external-cmd/exited) {
      set code = $reason[exit-status]
    } elif (eq $reason[type] external-cmd/signaled) {
      set code = (+ 128 $reason[signal-number])
    } elif (eq $reason[type] pipeline) {
      for one $reason[exceptions] { if (not $one) { set code = (code-of $one) } }
    }
  } catch { nop }
  put $code
}

fn is-exit {|e| try { eq $e[reason][type] external-cmd/exited } catch { put $false } }

var ours = "(?:\n *Traceback:)?(?:\n *code from -c:[0-9]+:[0-9]+:(?: .*|\n.*))+"
fn explain {|e| print (re:replace $ours '' (show $e | slurp)) }

fn children {
  for list [/proc/self/task/*[nomatch-ok]/children] {
    try { re:find '[0-9]+' (slurp < $list) | each {|found| put $found[text] } } catch { nop }
  }
}

fn have-started {|wanted|
  var all = [(children)]
  var new = [(for child $all { if (not (has-value $known $child)) { put $child } })]
  and (>= (count $new) $wanted) (>= (count $all) (- $num-bg-jobs 1 (count $held)))
}

fn await-start {|wanted|
  if (< $wanted 1) { set wanted = 1 }
  for _ [(range 10)] { if (have-started $wanted) { break } else { sleep 0.005 } }
  set known = [(children)]
}

fn release {
  if (== $num-bg-jobs (+ 1 (count $held))) {
    for pipe $held { file:close $pipe[w] }
    set held holding = [] $false
    for _ [(range 100)] { if (== $num-bg-jobs 1) { break } else { sleep 0.001 } }
  } elif (> (count $held) 20) {
    file:close $held[0][w]
    set held = $held[1..]
  }
}

fn hold {|started tell|
  await-start $started
  var pipe = (file:pipe)
  set held holding = [$@held $pipe] $true
  $tell
  nop (slurp < $pipe)
  file:close $pipe[r]
}

fn turn {|marker in out err starts-jobs @texts|
  if $holding { release }
  var before allowed code told = $num-bg-jobs $num-bg-jobs 2 $false
  if $is[$starts-jobs] { set allowed = (+ 1 (count $held)) }
  var tell = { set told = $true; print $marker' '$code' '$pwd' '$marker"\n" > /dev/fd/3 }
  fn serve {
    try {
      for text $texts[..-1] { eval &ns=(ns [&]) $text }
      eval &ns=$ns &on-end={|new| set fresh = $new } $texts[-1]
      set ns code = $fresh 0
    } catch e {
      if (not-eq (to-string $fresh) '<ns 0x0>') { set ns = $fresh }
      set code = (code-of $e)
      if (not (is-exit $e)) { explain $e >&2 }
    }
    if (> $num-bg-jobs $allowed) { hold (- $num-bg-jobs $before) $tell }
  }
  try { serve < $in > $out 2> $err 3>&- } catch e { explain $e >&2 }
  if $told { nop } else { $tell }
}

while $true {
  var path = (read-line)
  var record = [(from-terminated "\x00" < $path)]
  turn $@record &
}
"""


class ElvishShell(WithChannel):
    """elvish, kept alive."""

    control = CONTROL
    adds_output = False
    silent = ()  # `exec` gives a program elvish's own streams
    interrupts = ()  # it would end its loop; and a child that ends with code 0 makes it continue

    @property
    def environment(self) -> dict[str, str]:
        """The same as for its commands."""
        return {}

    def init(self, ready: str) -> str:  # noqa: ARG002  # it shows no prompt of ours
        """Nothing."""
        return ""

    def argv(self, name: str) -> list[str]:
        """Its command line."""
        return [name, "-norc", "-c", LOOP]

    def feed(self, request: TurnRequest) -> tuple[str, dict[str, str]]:
        """The name of a file with the record: elvish reads a pipe byte by byte, which takes long."""
        jobs = "yes" if "&" in request.text else "no"
        record = [
            request.marker,
            request.input,
            request.out,
            request.err,
            jobs,
            *_before(request),
            request.text,
        ]
        return f"{request.base}.{RUN_FILE}\n", {RUN_FILE: "\0".join(record) + "\0"}

    def report(self, request: TurnRequest) -> str:  # noqa: ARG002  # each command reports by itself
        """Empty: the report cannot get lost."""
        return ""

    def read(self, record: str) -> Ending | None:
        """As it was reported, except for a directory that is gone."""
        ending = split_record(record)
        return Ending(ending.code, "") if ending is not None and ending.directory == _NOWHERE else ending

    def remark(self, request: TurnRequest, *, printed: bool) -> str:
        """That value output is lost: with a shell's first command, and where there may have been some."""
        unseen = not printed and not _SAYS_NOTHING.fullmatch(request.text)
        return _VALUES_REMARK if request.turn == 1 or unseen else ""

    def clean(self, request: TurnRequest, stream: int, data: bytes) -> bytes:  # noqa: ARG002  # nothing to take away
        """elvish adds nothing."""
        return data


def quote(text: str) -> str:
    """A text as one word."""
    return "'" + text.replace("'", "''") + "'"


def _before(request: TurnRequest) -> list[str]:
    """The preparations for the command, evaluated apart, so that no function of the person's applies."""
    before = [f"set E:{name} = {quote(value)}" for name, value in request.environment.items()]
    if request.directory is not None:
        before.append(f"cd {quote(request.directory)}")
    return ["\n".join(before)] if before else []


PERSISTENT = ElvishShell()
# A fresh elvish ends before the jobs in its background have started: of 60, 22 were lost.
_AWAIT_START = r"""
use re
for _ [(range 20)] {
  var lists = [/proc/self/task/*[nomatch-ok]/children]
  if (<= $num-bg-jobs (count [(for list $lists { re:find '[0-9]+' (slurp < $list) })])) { break }
  sleep 0.005
}
"""


def once(shell: Shell, text: str) -> tuple[list[str], str | None]:
    """The argv that runs one command in a fresh elvish, which waits until its background jobs run."""
    return once_as_argument(shell, text + _AWAIT_START if "&" in text else text)


DIALECT = Dialect(
    name="elvish",
    programs=("elvish",),
    examples=("elvish",),
    flags=("-norc", "-c", "--"),
    source=f"eval (slurp < '{SCRIPT_MARK}')",
    once=once,
    persistent=lambda _: PERSISTENT,
    # Other programs in Go say the same of other places than $PATH.
    missing=(
        re.compile(
            r'^Exception: exec: "(?P<name>[^"]+)": executable file not found in \$PATH$', re.MULTILINE
        ),
    ),
    missing_code=None,
    language="",
)
