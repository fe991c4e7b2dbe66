"""Which promises follow from others: those about fewer scenarios, pairs of secrets or published values."""

from __future__ import annotations

from accountant import Interval, InvalidValue, Step
from accountant_pufferfish.promises.evidence import Ballwise, Evidence, MixtureOnly, Pointwise, RichScenarios
from accountant_pufferfish.promises.guarantee import PufferfishGuarantee
from accountant_pufferfish.promises.richness import is_rich
from accountant_pufferfish.setting.secret import SecretPair
from accountant_pufferfish.setting.setting import Setting
from accountant_pufferfish.theorems import NARROWING


def narrowed(guarantee: PufferfishGuarantee, setting: Setting) -> PufferfishGuarantee:
    """The same promise in a setting that asks for no more: fewer scenarios, pairs of secrets or published values.

    Guarantee: holds for every mechanism with that promise. Refused where the setting asks for anything else: one more
    scenario or more public information can cost any number of times epsilon.
    """
    _check(guarantee, setting)
    complete = setting.scenarios.complete
    live = sum(1 for _ in setting.comparisons()) if complete else guarantee.live_pairs
    evidence = _kept(guarantee.evidence, setting)
    if live == 0 or guarantee.epsilon is None:
        return PufferfishGuarantee(setting, None, "upper", evidence, 0)
    value = Interval(0.0, guarantee.epsilon.upper)
    uses = (len(guarantee.derivation),) if guarantee.derivation else ()
    step = Step("the same where no more is asked for", NARROWING, uses, value)
    return PufferfishGuarantee(setting, value, "upper", evidence, live, (*guarantee.derivation, step))


def _kept(evidence: Evidence, setting: Setting) -> Evidence:
    """What holds between datasets stays so. Anything else was shown for the wider setting."""
    if isinstance(evidence, (Pointwise, Ballwise)):
        return evidence
    return RichScenarios(setting) if setting.scenarios.complete and is_rich(setting) else MixtureOnly()


def _check(guarantee: PufferfishGuarantee, setting: Setting) -> None:
    known = guarantee.setting
    if guarantee.bound == "lower":
        raise InvalidValue("a lower bound from some of the scenarios promises nothing, so nothing follows from it")
    if setting.public != known.public:
        raise InvalidValue(
            f"the promise is relative to '{known.public}' and says nothing relative to '{setting.public}'; derive it again"
        )
    laws = [law for _, law in known.scenarios.laws]
    further = [name for name, law in setting.scenarios.laws if law not in laws]
    if setting.scenarios != known.scenarios and (further or not setting.scenarios.complete):
        names = ", ".join(further) or str(setting.scenarios)
        raise InvalidValue(f"the promise is about '{known.scenarios}' and says nothing under {names}; derive it again")
    pairs = {*known.pairs, *(SecretPair(pair.second, pair.first) for pair in known.pairs)}
    for pair in setting.pairs:
        if pair not in pairs:
            raise InvalidValue(f"the promise says nothing about {pair}; derive it again with this pair")
    if known.values is not None and (setting.values is None or not {*setting.values} <= {*known.values}):
        raise InvalidValue("the promise is about some published values only; derive it again for the others")
