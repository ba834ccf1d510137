"""The command line, as ``python -m mercer``."""

from mercer.cli import main

main()
