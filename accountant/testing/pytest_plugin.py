"""The pytest plugin: `pytest --accountant-plugin NAME` runs every law over everything that a plugin registers.

Without the option it collects nothing and loads nothing. With the option and without paths, only the laws run; with
paths, the laws run beside the tests found there.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from accountant.testing.trial import Trial

_OPTION, _DEPTH, _SEED, _BADGE = "accountant_plugins", "accountant_depth", "accountant_seed", "accountant_badge"
_BROKEN = pytest.StashKey[dict[tuple[str, str], str]]()
_WANTED = pytest.StashKey[dict[str, int]]()
_PASSED = pytest.StashKey[list[tuple[str, str]]]()
_BADGES = pytest.StashKey[list[str]]()
_SENT = "accountant_laws"


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add the options; that of plugins may be repeated."""
    group = parser.getgroup("accountant")
    group.addoption(
        "--accountant-plugin",
        action="append",
        default=[],
        dest=_OPTION,
        metavar="NAME",
        help="run the conformance laws of accountant over everything that the plugin NAME registers; may be repeated",
    )
    group.addoption(
        "--accountant-depth",
        type=int,
        default=1,
        dest=_DEPTH,
        metavar="N",
        help="try laws on N times as many examples as usual; 1 takes seconds, 10 is for a release of a plugin",
    )
    group.addoption(
        "--accountant-seed",
        type=int,
        default=0,
        dest=_SEED,
        metavar="N",
        help="draw other examples than the usual ones, the same for the same N",
    )
    group.addoption(
        "--accountant-badge",
        action="store_true",
        dest=_BADGE,
        help="if a plugin passes all laws, write which ones, how deep and for which files beside it; ship that file",
    )


def pytest_configure(config: pytest.Config) -> None:
    """Leave other tests alone when the laws were asked for and no path was given."""
    if config.getoption(_OPTION) and config.args_source is not pytest.Config.ArgsSource.ARGS:
        config.args = []


def pytest_collection_modifyitems(session: pytest.Session, config: pytest.Config, items: list[pytest.Item]) -> None:
    """Add one item for every law and everything it speaks about."""
    for name in config.getoption(_OPTION):
        items.extend(PluginLaws.from_parent(session, name=name, nodeid=f"accountant-plugin {name}").collect())


def pytest_sessionfinish(session: pytest.Session) -> None:
    """Write the badges of plugins that passed everything; a worker of pytest-xdist tells the one who started it instead."""
    config = session.config
    if not config.getoption(_BADGE):
        return
    wanted, passed = config.stash.get(_WANTED, {}), config.stash.get(_PASSED, [])
    if hasattr(config, "workeroutput"):
        config.workeroutput[_SENT] = wanted, passed
        return
    said = config.stash.setdefault(_BADGES, [])
    for plugin, every in wanted.items():
        laws = [law for owner, law in passed if owner == plugin]
        if len(laws) == every:
            said.append(_write_badge(plugin, laws, config.getoption(_DEPTH)))
        else:
            said.append(f"no badge of '{plugin}': {len(laws)} of {every} trials passed")


@pytest.hookimpl(optionalhook=True)
def pytest_testnodedown(node: Any) -> None:
    """What a worker of pytest-xdist saw pass."""
    wanted, passed = getattr(node, "workeroutput", {}).get(_SENT, ({}, []))
    node.config.stash.setdefault(_WANTED, {}).update(wanted)
    node.config.stash.setdefault(_PASSED, []).extend(map(tuple, passed))


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter, config: pytest.Config) -> None:
    """Which badges were written, and why others were not."""
    for line in config.stash.get(_BADGES, []):
        terminalreporter.write_line(line)


def _write_badge(plugin: str, passed: list[str], depth: int) -> str:
    """Write it, and say where."""
    from collections import Counter

    from accountant.registry.conformance import Badge, badge_place
    from accountant.registry.discovery import BUILTIN
    from accountant.registry.registry import default_registry

    registry = default_registry()
    known, place = registry.plugins[plugin], badge_place(registry.file(plugin))
    if place is None:
        return f"no badge of '{plugin}': its module is not read from a file"
    badge = Badge(plugin, known.version, known.digest, registry.plugins[BUILTIN].version, depth, dict(Counter(passed)))
    badge.write(place)
    return f"badge of '{plugin}': {place}"


class PluginLaws(pytest.Collector):
    """All laws over one plugin."""

    def collect(self) -> Iterator[pytest.Item]:
        """One item for each trial."""
        from accountant.errors import AccountantError, suggest
        from accountant.registry.registry import default_registry
        from accountant.testing.conformance import trials
        from accountant.testing.examples import Depth

        try:
            depth = Depth(self.config.getoption(_DEPTH), self.config.getoption(_SEED))
            registry = default_registry()
        except AccountantError as error:
            raise pytest.UsageError(str(error)) from error
        if self.name not in registry.plugins:
            raise pytest.UsageError(
                f"no plugin is called '{self.name}'{suggest(self.name, registry.plugins)}\n"
                "a plugin is found by its entry point: after adding one, install its distribution again"
            )
        found = trials(self.name, registry=registry, depth=depth)
        self.config.stash.setdefault(_WANTED, {})[self.name] = len(found)
        for trial in found:
            yield LawItem.from_parent(self, name=str(trial), trial=trial)


class LawItem(pytest.Item):
    """One law on one registered item."""

    def __init__(self, *, trial: Trial, **rest: Any) -> None:
        super().__init__(**rest)
        self.trial = trial

    def runtest(self) -> None:
        """Try the law; what fails first of a registered item is what its author reads first."""
        try:
            self.trial()
        except Exception:
            self._broken.setdefault((self.trial.plugin, self.trial.subject), self.trial.law)
            raise
        self.config.stash.setdefault(_PASSED, []).append((self.trial.plugin, self.trial.law))

    @property
    def _broken(self) -> dict[tuple[str, str], str]:
        """The law that failed first, for each registered item of which one did."""
        return self.config.stash.setdefault(_BROKEN, {})

    def repr_failure(self, excinfo: pytest.ExceptionInfo[BaseException], style: Any = None) -> Any:
        """The law and its counterexample; the traceback only for an error that is no counterexample."""
        if not isinstance(excinfo.value, AssertionError):
            return super().repr_failure(excinfo, style)
        subject = f"{self.trial.plugin}: {self.trial.item}"
        first = self._broken.get((self.trial.plugin, self.trial.subject), self.trial.law)
        if first != self.trial.law:
            return f"The law '{self.trial.law}' does not hold for {subject} either; read '{first}' first."
        return f"The law '{self.trial.law}' does not hold for {subject}:\n  {excinfo.value}"

    def reportinfo(self) -> tuple[str, int | None, str]:
        """Where the item is said to be: laws have no file of their own."""
        return self.nodeid.partition("::")[0], None, self.name
