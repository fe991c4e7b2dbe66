"""The command line as `python -m accountant.cli`."""

from accountant.cli import main

main()
