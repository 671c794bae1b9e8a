"""What an agent sees: one module per family of tools. They call `service` and nothing below it."""
