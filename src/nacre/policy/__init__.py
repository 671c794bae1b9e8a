"""The policy engine."""
