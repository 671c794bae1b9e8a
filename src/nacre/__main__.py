"""`python -m nacre` is `nacre`."""

from nacre.cli import main

main()
