"""Guard: what is looked at before a plugin's code runs, and after."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from functools import cache, partial

from attrs import field, frozen

from accountant.errors import PluginError
from accountant.progress import working_on
from accountant.registry.discovery import BUILTIN, Candidate

CORE = "accountant"
_SPOILT: list[str] = []
"""What was changed in this process by plugins that were refused for it."""


@frozen
class Guard:
    """Which distributions there are, with the modules of their plugins; that of the built-in one brings the core."""

    modules: dict[str, list[str]]
    own: str | None
    """The distribution that the core comes with."""
    _digests: dict[str, Callable[[], str]] = field(factory=dict)

    @classmethod
    def of(cls, candidates: Iterable[Candidate]) -> Guard:
        """The guard of all plugins that are installed, and of further ones.

        Plugins of a distribution that take no part are files of it all the same.
        """
        modules: dict[str, list[str]] = {}
        own = None
        for candidate in candidates:
            if candidate.module is not None:
                known = modules.setdefault(candidate.distribution, [])
                known += [] if candidate.module in known else [candidate.module]
                own = candidate.distribution if candidate.name == BUILTIN else own
        if own is not None:
            modules[own].append(CORE)
        return cls(modules, own)

    def digest(self, candidate: Candidate) -> Callable[[], str] | None:
        """The digest of an installed plugin's distribution.

        That of others is taken now, before their code can run; that of the core's own, which everything else rests on,
        when somebody asks for it.
        """
        distribution = candidate.distribution
        if candidate.module is None:
            return None
        if distribution not in self._digests:
            others = distribution != self.own
            ask = partial(_digest, distribution, tuple(self.modules[distribution]), thorough=others)
            self._digests[distribution] = _known(ask()) if others else cache(ask)
        return self._digests[distribution]

    @contextmanager
    def watching(self, candidate: Candidate) -> Iterator[None]:
        """Admit a plugin; refuse it if it changes what the core or another plugin does. Its own package it may change.

        What was changed stays so in this process: from then on it admits nothing, with or without the plugin.
        """
        for message in _SPOILT:
            raise PluginError(f"{message}; start again without it")
        if candidate.module is None or candidate.distribution == self.own:
            yield
            return
        from accountant.registry import blame
        from accountant.registry.patches import patched, state_of

        self.digest(candidate)
        others = {_package(item) for of, items in self.modules.items() if of != candidate.distribution for item in items}
        mine = set(map(_package, self.modules[candidate.distribution])) - others
        before = state_of(others)
        working_on(str(candidate))
        for package in mine:
            blame.admit(package, candidate)
        yield
        working_on("")
        if changed := patched(before, others, mine):
            more = f" and {len(changed) - 1} more" if len(changed) > 1 else ""
            message = f"{candidate} changes {changed[0]}{more}, which is not its own"
            _SPOILT.append(message)
            raise PluginError(f"{message}; plugins may add answers, not change others'")


def _digest(distribution: str, modules: tuple[str, ...], *, thorough: bool) -> str:
    from accountant.registry.digest import digest_of_distribution

    return digest_of_distribution(distribution, sorted(modules), thorough=thorough)


def _package(module: str) -> str:
    return module.partition(".")[0]


def _known(digest: str) -> Callable[[], str]:
    return lambda: digest
