"""The hooks a plugin may implement. This file is the source of the hook reference.

A plugin is a module named by an entry point of the group `accountant`. It implements any of these hooks, each as a
function marked with `hookimpl` that returns an iterable. Hooks are called once, when the registry is built.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

import pluggy

if TYPE_CHECKING:
    import click

    from accountant.engines.kinds import EngineKind
    from accountant.plan.bridge import Bridge
    from accountant.plugin.cases import ConformanceCase
    from accountant.promise.conversion import Conversion
    from accountant.promise.divergence import CompositionRule, Divergence
    from accountant.promise.neighbours import Policy, Relation
    from accountant.promise.public_facts import Public
    from accountant.promise.risk import RiskProfile
    from accountant.promise.theorem import Theorem
    from accountant.release.query import Query
    from accountant.release.release import Mechanism
    from accountant.release.sampling import Sampling
    from accountant.report import Renderer, Report

hookspec = pluggy.HookspecMarker("accountant")
hookimpl = pluggy.HookimplMarker("accountant")

# What is promised ----------------------------------------------------------------------------------------------------


@hookspec
def accountant_neighbours() -> Iterable[Relation]:
    """Neighbour relations, by the name that `specification.neighbours` uses in a plan.

    Return values of `Relation`: the record moves it allows, and whether neighbours may differ in some attributes only.
    Every query derives its shift from these moves, so a new relation works with all queries at once. All datasets that
    differ by a move are neighbours; where only some of them are, register a policy.
    """
    return ()


@hookspec
def accountant_policies() -> Iterable[type[Policy]]:
    """Narrower neighbour relations, or such as have parameters: in a plan `specification.neighbours` is a table with their
    `kind`, or that name alone where a policy need not be told anything.

    Return subclasses of `Policy`: the record moves that bound what neighbours do, and which of the datasets that these
    reach are neighbours. What needs to know more than the moves asks the policy, and concludes nothing where it is silent.
    """
    return ()


@hookspec
def accountant_divergences() -> Iterable[Divergence]:
    """Privacy definitions, by the name that budgets, claims and `measure` use.

    Return instances of `Divergence`. Once registered, a definition converts from and to every other one, because each is a
    lens on the same loss.
    """
    return ()


@hookspec
def accountant_composition_rules() -> Iterable[CompositionRule]:
    """Rules by which parameters of a definition add up without looking at losses.

    Return instances of `CompositionRule`. The account compares every rule with the product pair and takes the tightest.
    """
    return ()


@hookspec
def accountant_conversions() -> Iterable[Conversion]:
    """Published formulas that turn a parameter of one definition into a value of another.

    Return instances of `Conversion`. They stand beside the tight conversion that any two definitions have, and reproduce
    figures that were computed elsewhere.
    """
    return ()


@hookspec
def accountant_risk_profiles() -> Iterable[type[RiskProfile]]:
    """Kinds of risk profile, by their `kind`.

    Return subclasses of `RiskProfile`.
    """
    return ()


@hookspec
def accountant_public() -> Iterable[type[Public]]:
    """Kinds of public information, by the `kind` that `public` uses in a plan.

    Return subclasses of `Public`: frozen attrs classes whose fields are the parameters of a family of scenarios and whose
    `reach` bounds how far apart the data can be under two secrets. Budgets relative to it follow from the account.
    """
    return ()


# What is released ----------------------------------------------------------------------------------------------------


@hookspec
def accountant_queries() -> Iterable[type[Query]]:
    """Kinds of query, by the `kind` that `release.query` uses in a plan.

    Return subclasses of `Query`: frozen attrs classes whose fields are the query's parameters.
    """
    return ()


@hookspec
def accountant_mechanisms() -> Iterable[type[Mechanism]]:
    """Kinds of mechanism, by the `kind` that `release.mechanism` uses in a plan.

    Return subclasses of `Mechanism`: frozen attrs classes whose fields are the mechanism's parameters and whose `loss`
    gives the privacy loss for a shift. A field with the converter `fields.mechanism` is a mechanism in turn, which a plan
    writes as a table with its kind; `fields.several` with the validator `fields.each` is a list of values of a class.
    """
    return ()


@hookspec
def accountant_samplings() -> Iterable[type[Sampling]]:
    """Kinds of sampling, by the `kind` that `release.sampling` uses in a plan.

    Return subclasses of `Sampling`: frozen attrs classes whose fields are the parameters and whose `loss` turns the loss
    of any mechanism into that of the mechanism on a sample. `between_samples` says what somebody compares who knows who
    was sampled; without it, nothing is promised against such an insider.
    """
    return ()


# Where it comes from -------------------------------------------------------------------------------------------------


@hookspec
def accountant_bridges() -> Iterable[Bridge]:
    """Bridges, by name: how what another library wrote becomes a plan.

    Return instances of `Bridge`, whose `read` turns plain data into releases and says what the data leaves open.
    `read_history` and `accountant bridge` take their names.
    """
    return ()


# Why it holds --------------------------------------------------------------------------------------------------------


@hookspec
def accountant_theorems() -> Iterable[Theorem]:
    """Theorems that no item of this plugin cites: those that stand in derivations only.

    Return values of `Theorem`. What an item cites is registered with it.
    """
    return ()


@hookspec
def accountant_conformance_cases() -> Iterable[ConformanceCase]:
    """Instances for the conformance laws to be tried on.

    Return values of `MechanismCase` and `ParameterCase`: every registered definition needs a case and every mechanism a
    case or an oracle, and the laws fail for an item without. Oracles (`MechanismOracle`, `QueryOracle`, `SamplingOracle`,
    `RelationOracle`, `PolicyOracle`, `PublicOracle`, `RiskProfileOracle`, `BridgeOracle`) are cases as functions: laws draw
    the instances themselves and compare them with what the oracle says.
    """
    return ()


# How it is shown -----------------------------------------------------------------------------------------------------


@hookspec
def accountant_reports() -> Iterable[Report]:
    """Reports, by name: what a certificate and its account mean, for one kind of reader.

    Return instances of `Report`. `accountant report --audience` takes their names.
    """
    return ()


@hookspec
def accountant_renderers() -> Iterable[Renderer]:
    """Ways to write a document down, by name.

    Return instances of `Renderer`. `accountant report --format` takes their names.
    """
    return ()


@hookspec
def accountant_commands() -> Iterable[click.Command]:
    """Further commands of the command line.

    Return `click` commands. A name that is taken, by the program itself or by another plugin, is refused. One of two
    words, such as `study counties`, joins the group that the first word names, whoever brought it. The module
    `accountant.commands` has the option --json and the ways to print that the program's own commands use.
    """
    return ()


# What counts it ------------------------------------------------------------------------------------------------------


@hookspec
def accountant_engines() -> Iterable[EngineKind]:
    """Kinds of engine, which count tables that are too large for lists, by the name that `--engine` takes.

    Return instances of `EngineKind`: how addresses of its engines begin, and the `Engine` at an address. Every plugin gets
    an engine by its address from `accountant.engines.engine_at`, whoever brought it.
    """
    return ()
