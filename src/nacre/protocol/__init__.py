"""The conversation with one client: JSON lines, the protocol's messages, and the SDK where it is needed.

Above it: the server. Below: the tools. It knows nothing of commands or processes.
"""
