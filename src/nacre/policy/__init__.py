"""The policy engine: what would a command run, and may it?

Above: the service asks `judge` before anything runs; the command line explains, tests and learns. Below: nothing of
nacre. Everything here is pure, except `paths`, which resolves links. The floors, lowest first:

    model, dialect                                    records; what differs between shells
    words, posix, cmd, powershell, fish               scanners: text -> simple commands, or a refusal
    tables, options, filters, values, programs        what programs do with their arguments
    rules, paths                                      what a person wrote; where files may be
    judge                                             the verdict
    corpus, explain, learn                            the workbench

`corpus`, `explain` and `learn` are imported by those who need them; this file stays light.
"""

from nacre.policy.judge import judge, judge_argv
from nacre.policy.model import Judged, PolicyError, Verdict
from nacre.policy.rules import Policy, Rule

__all__ = ["Judged", "Policy", "PolicyError", "Rule", "Verdict", "judge", "judge_argv"]
