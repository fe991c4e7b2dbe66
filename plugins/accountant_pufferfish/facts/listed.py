"""A list of all datasets that are possible given what is public."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from fractions import Fraction
from functools import lru_cache
from typing import TYPE_CHECKING, Any, ClassVar

from attrs import field, frozen

from accountant import Interval, InvalidValue, Neighbours, Reach, Revealed, Theorem
from accountant.fields import ExactLike, about, each, exact_list, several, text
from accountant.plugin import Public
from accountant_pufferfish.facts.steps import replacing
from accountant_pufferfish.theorems import LISTED

if TYPE_CHECKING:
    from accountant_pufferfish.setting.law import Law
    from accountant_pufferfish.setting.setting import Setting

_MOST = 200
_NUMBERS: dict[str, Any] = {"type": "array", "items": {"type": ["string", "number"]}}


def _chances(value: Iterable[ExactLike]) -> tuple[Fraction, ...]:
    numbers = exact_list(value)
    if numbers is None:
        raise InvalidValue("expected a list of probabilities")
    return numbers


@frozen
class ListedLaw:
    """One scenario: how likely each listed dataset is given what is public, and before that where it is known."""

    name: str = field(converter=text, metadata=about("the name of the scenario"))
    given: tuple[Fraction, ...] = field(
        converter=_chances, metadata=about("the probability of each dataset given what is public", _NUMBERS)
    )
    before: tuple[Fraction, ...] | None = field(
        default=None,
        converter=exact_list,
        metadata=about("the probability of each dataset before anything was public, to say what that reveals", _NUMBERS),
    )

    def __attrs_post_init__(self) -> None:
        if self.before is not None and any(now and not then for now, then in zip(self.given, self.before, strict=False)):
            raise InvalidValue(f"'{self.name}': a dataset that was impossible before cannot become possible")


def _datasets(value: Iterable[Iterable[str | int]]) -> tuple[tuple[str, ...], ...]:
    if isinstance(value, (str, Mapping)) or not isinstance(value, Iterable):
        raise InvalidValue(f"expected a list of datasets, got {value!r}; give lists of records such as [['yes', 'no']]")
    return tuple(_records(dataset, place) for place, dataset in enumerate(value, start=1))


def _records(dataset: Iterable[str | int], place: int) -> tuple[str, ...]:
    if isinstance(dataset, (str, Mapping)) or not isinstance(dataset, Iterable):
        raise InvalidValue(f"dataset {place}: expected a list of records, got {dataset!r}")
    records = tuple(dataset)
    for record in records:
        if not isinstance(record, (str, int)) or isinstance(record, bool):
            raise InvalidValue(f"dataset {place}: a record is text or a whole number, got {record!r}")
    return tuple(text(str(record)) for record in records)


@frozen
class Listed(Public):
    """All datasets that are possible, with their probabilities in each of a few scenarios.

    Definition: a dataset lists what each unit says, in the same order of units. Each scenario gives the probability of each
    dataset given what is public.
    Guarantee: how far apart the data are under two secrets is found exactly, and all live pairs are counted.
    """

    kind: ClassVar[str] = "listed"
    theorem: ClassVar[Theorem] = LISTED

    datasets: tuple[tuple[str, ...], ...] = field(
        converter=_datasets,
        kw_only=True,
        metadata=about(
            "what each unit says, for every possible dataset",
            {"type": "array", "minItems": 1, "items": {"type": "array", "items": {"type": ["string", "integer"]}}},
        ),
    )
    laws: tuple[ListedLaw, ...] = field(
        converter=several, validator=each(ListedLaw), kw_only=True, metadata=about("the scenarios")
    )
    value: str = field(
        default="what leaves these datasets possible",
        converter=text,
        kw_only=True,
        metadata=about("what was published, in words"),
    )

    def __attrs_post_init__(self) -> None:
        if not 1 <= len(self.datasets) <= _MOST:
            raise InvalidValue(f"expected 1 to {_MOST} datasets, got {len(self.datasets)}")
        if len(set(self.datasets)) < len(self.datasets):
            raise InvalidValue("a dataset is listed twice; add up its probabilities instead")
        if len({len(dataset) for dataset in self.datasets}) > 1 or not self.datasets[0]:
            raise InvalidValue("every dataset needs the same number of records, at least one, in the same order of units")
        if len({law.name for law in self.laws}) < len(self.laws):
            raise InvalidValue("two scenarios have the same name")
        for law in self.laws:
            self._law(law.given, f"scenario '{law.name}', given")
            if law.before is not None:
                self._law(law.before, f"scenario '{law.name}', before")

    def _law(self, chances: tuple[Fraction, ...], owner: str) -> Law:
        from accountant_pufferfish.setting.law import Law

        if len(chances) != len(self.datasets):
            raise InvalidValue(f"{owner}: {len(self.datasets)} datasets need as many probabilities, got {len(chances)}")
        try:
            return Law(dict(zip(self.datasets, chances, strict=True)))
        except InvalidValue as error:
            raise InvalidValue(f"{owner}: {error}") from None

    @property
    def setting(self) -> Setting:
        """The same as a setting: every value of every unit against every other."""
        from accountant_pufferfish.setting.public_variable import NOTHING
        from accountant_pufferfish.setting.scenarios import Scenarios
        from accountant_pufferfish.setting.secret import bounded_pairs
        from accountant_pufferfish.setting.setting import Setting

        values = dict.fromkeys(record for dataset in self.datasets for record in dataset)
        laws = {law.name: self._law(law.given, law.name) for law in self.laws}
        return Setting(Scenarios.listed(laws), bounded_pairs(len(self.datasets[0]), values), NOTHING)

    @property
    def scenarios(self) -> str:
        return f"{', '.join(law.name for law in self.laws)}, over {len(self.datasets):,} possible datasets"

    @property
    def pairs(self) -> str:
        return "one unit has any one value against any other"

    def reach(self, neighbours: Neighbours) -> Reach:
        step = replacing(neighbours)
        moved, live = _measured(self)
        return Reach(step * moved, live)

    def revealed(self) -> tuple[Revealed, ...]:
        from accountant_pufferfish.setting.secret import record_is

        found = []
        for law in self.laws:
            if law.before is None:
                continue
            before, given = self._law(law.before, law.name), self._law(law.given, law.name)
            for place in range(len(self.datasets[0])):
                for value in before.mapped(lambda dataset, place=place: dataset[place]):  # type: ignore[misc]
                    secret = record_is(place, value)
                    chances = Interval.of(before.probability(secret)), Interval.of(given.probability(secret))
                    found.append(Revealed(secret.name, law.name, *chances))
        return tuple(found)


@lru_cache(maxsize=16)
def _measured(listed: Listed) -> tuple[int, int]:
    """How many records move at most, and the number of live pairs; kept, since a plan asks more than once."""
    from accountant_pufferfish.setting.metric import HAMMING

    setting = listed.setting
    live = sum(1 for _ in setting.comparisons())
    moved = setting.radius(HAMMING) if live else None
    # Without a live pair there is no distance; the number of records bounds any.
    return len(listed.datasets[0]) if moved is None else int(moved), live
