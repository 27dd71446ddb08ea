"""``python -m goldfish`` is the command line."""

from goldfish.cli import main

main()
