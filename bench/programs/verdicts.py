"""Verdicts about ordinary commands under an allowlist: prints the seconds of each as a JSON list.

The commands come again and again, as agents' do, so their texts have been read before; with `new` as a second
argument every text is one that was never read.
"""

from __future__ import annotations

import gc
import json
import sys
import time
from dataclasses import replace

from nacre.places.local_files import LocalFiles
from nacre.policy import Policy, judge

ALLOW = ["ls", "cat", "head", "wc", "git log", "git diff", "npm run *", "grep", "find"]
DENY = ["rm -rf"]
OWN_FILES = (
    "~/.config/nacre/config.toml",
    "/etc/nacre/config.toml",
    "nacre.toml",
)  # which no command may write
COMMANDS = ["git log --oneline | head -5", "ls -la src", "grep -rn foo . | wc -l", "find . -name '*.py'"]


def measure(times: int, *, new: bool = False) -> list[float]:
    """So many verdicts about each command; what is loaded once is loaded before."""
    rules = replace(Policy.from_lists(ALLOW, deny=DENY), files=LocalFiles(), own_files=OWN_FILES)
    taken = list[float]()
    for command in COMMANDS:
        judge(command, rules)
    gc.freeze()
    gc.set_threshold(20_000, 20, 20)  # as the server does
    for number in range(times):
        for command in COMMANDS:
            text = f"{command} # {number}" if new else command
            began = time.perf_counter()
            judge(text, rules)
            taken.append(time.perf_counter() - began)
    return taken


if __name__ == "__main__":
    json.dump(measure(int(sys.argv[1]), new="new" in sys.argv[2:]), sys.stdout)
