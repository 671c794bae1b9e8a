"""stub"""
from nacre.policy.model import Scan, Refusal
def scan(text: str) -> Scan:
    return Scan((), Refusal("x", 0, 1))
scan_nu = scan
