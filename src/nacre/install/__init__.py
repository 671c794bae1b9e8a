"""Putting nacre into the settings of MCP clients, and taking it out again.

`clients` knows where each client keeps its settings and what an entry looks like there. `json_text`,
`toml_text` and `yaml_text` change one entry of a text and leave every other byte alone. `settings_file` reads
and writes.
Above it: the command line. It knows nothing of serving.
"""
