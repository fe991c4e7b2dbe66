"""The command line: one file for each command, each loaded only when it is asked for."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from accountant.cli.program import main
else:

    def __getattr__(name: str) -> object:
        """The program, which options that plugins share do not need."""
        if name != "main":
            raise AttributeError(f"module '{__name__}' has no attribute '{name}'")
        from accountant.cli.program import main

        return main


__all__ = ["main"]
