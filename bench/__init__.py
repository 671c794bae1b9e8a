"""The benchmark: nacre beside floors and peers in one interleaved run, told as ratios.

`make bench` runs it. It lives in the clone and reads nothing outside it. Lowest first:

    model, figures, aims         records; what is measured; what the ratios should be
    processes                    /proc and pidfds: memory, what carries a mark, ends
    client, floors               an MCP server over raw JSON lines; what the bare system costs
    programs/                    the floors that are servers; the verdict without a server
    servers, peers, install      who is measured; peers by package name, put into .bench/
    stage                        servers opened, told apart by a cookie, and ended with all they started
    workloads/                   what they are asked to do; each call is one block of samples
    run                          rounds: every server's block in turn, in a new order each time
    samples, report              medians, spreads, ratios (pure); a run as JSON
    table, svg, page             a run as text, as a plot, as docs/benchmarks.md
    cli                          the command line
"""
