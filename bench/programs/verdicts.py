"""Verdicts about ordinary commands under an allowlist: prints the seconds of each as a JSON list."""

from __future__ import annotations

import json
import sys
import time

from nacre.policy import Policy, judge

ALLOW = ["ls", "cat", "head", "wc", "git log", "git diff", "npm run *", "grep", "find"]
DENY = ["rm -rf"]
COMMANDS = ["git log --oneline | head -5", "ls -la src", "grep -rn foo . | wc -l", "find . -name '*.py'"]


def measure(times: int) -> list[float]:
    """So many verdicts about each command; what is loaded once is loaded before."""
    rules, taken = Policy.from_lists(ALLOW, deny=DENY), list[float]()
    for command in COMMANDS:
        judge(command, rules)
    for _ in range(times):
        for command in COMMANDS:
            began = time.perf_counter()
            judge(command, rules)
            taken.append(time.perf_counter() - began)
    return taken


if __name__ == "__main__":
    json.dump(measure(int(sys.argv[1])), sys.stdout)
