"""``python -m mercer``: the command line."""

from mercer.cli import main

main()
