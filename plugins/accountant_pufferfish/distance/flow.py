"""Maximal flows from sources to sinks, in whole numbers."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Mapping, Sequence

from attrs import frozen


@frozen
class Flow:
    """What could be sent where, and the sources from which the rest reaches no sink that has room."""

    sent: Mapping[tuple[int, int], int]
    stuck: frozenset[int]

    @property
    def complete(self) -> bool:
        return not self.stuck


def flow(supplies: Sequence[int], demands: Sequence[int], reach: Sequence[Iterable[int]]) -> Flow:
    """A maximal flow from sources to the sinks that each reaches, by shortest augmenting paths."""
    supply, demand = list(supplies), list(demands)
    sent: dict[tuple[int, int], int] = {}
    feeders: list[set[int]] = [set() for _ in demand]
    while True:
        came: dict[int, int] = {}  # sink -> the source that the search reached it from
        back: dict[int, int] = {}  # source -> the sink from which mass could be taken back
        queue = deque(source for source, rest in enumerate(supply) if rest)
        seen, end = set(queue), None
        while queue and end is None:
            source = queue.popleft()
            for sink in reach[source]:
                if sink in came:
                    continue
                came[sink] = source
                if demand[sink]:
                    end = sink
                    break
                for feeder in feeders[sink] - seen:
                    seen.add(feeder)
                    back[feeder] = sink
                    queue.append(feeder)
        if end is None:
            return Flow(sent, frozenset(seen))
        _augment(end, came, back, supply, demand, sent, feeders)


def _augment(
    end: int,
    came: Mapping[int, int],
    back: Mapping[int, int],
    supply: list[int],
    demand: list[int],
    sent: dict[tuple[int, int], int],
    feeders: list[set[int]],
) -> None:
    """Send as much as fits along the path that ends at a sink with room."""
    forward, backward = [(came[end], end)], []
    while forward[-1][0] in back:
        source = forward[-1][0]
        backward.append((source, back[source]))
        forward.append((came[back[source]], back[source]))
    start = forward[-1][0]
    mass = min([supply[start], demand[end], *(sent[arc] for arc in backward)])
    supply[start] -= mass
    demand[end] -= mass
    for arc in forward:
        sent[arc] = sent.get(arc, 0) + mass
        feeders[arc[1]].add(arc[0])
    for arc in backward:
        sent[arc] -= mass
        if not sent[arc]:
            feeders[arc[1]].discard(arc[0])
