"""Trust: whether files are those that the people a policy names have signed."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, date, datetime

from attrs import define, field, frozen

from accountant.certificate.signing.envelope import PAYLOAD_TYPE, Envelope, parsed
from accountant.certificate.signing.files import SignedFiles
from accountant.certificate.signing.policy import TrustedKey, TrustPolicy
from accountant.certificate.signing.roles import Role
from accountant.certificate.signing.statement import SignedStatement, read_statement, repeated
from accountant.display.brief import Brief
from accountant.errors import AccountantError, Fault
from accountant.values.source import canonical


@frozen
class SignedBy(Brief):
    """Somebody whose signature counts: their name in the policy, their role, their key, and when they say they signed."""

    name: str
    role: Role
    key_id: str
    time: str


@frozen
class Trust(Brief):
    """Who has signed, and everything for which files are not trusted; trusted where that is nothing."""

    signers: tuple[SignedBy, ...]
    faults: tuple[Fault, ...]
    notes: tuple[str, ...]
    """What was not counted or not looked at, and why."""

    @property
    def trusted(self) -> bool:
        """Whether everything that the policy needs is there, and nothing contradicts it."""
        return not self.faults


def trust(
    files: SignedFiles, signatures: str, policy: TrustPolicy, released: Mapping[str, str], today: date | None = None
) -> Trust:
    """Whether files are those that the people a policy names have signed.

    Guarantee: trusted only if the policy has not expired, every envelope can be read, every signature in the name of a key
    of the policy holds and is about exactly these bytes, and in every role as many different keys have signed as are
    needed. Nothing is read of what no key of the policy has signed.
    """
    check = _Check(files, policy, today or datetime.now(UTC).date())
    if check.today > policy.until:
        check.fault(
            f"the policy was to be believed until {policy.until}; ask for a new one where it came from", "trust.until"
        )
    for index, item in enumerate(parsed(signatures)):
        if isinstance(item, Fault):
            check.faults.append(item)
        else:
            check.envelope(item, f"envelope[{index}]")
    for role in Role:
        check.enough(role)
    check.released(released)
    if check.strangers:
        check.notes.append(
            f"signed by keys that the policy does not name, and not looked at: {_shown(list(check.strangers))}"
        )
    return Trust(tuple(check.signers()), tuple(check.faults), tuple(dict.fromkeys(check.notes)))


@define
class _Check:
    """What was found while envelopes are looked at, one after the other."""

    files: SignedFiles
    policy: TrustPolicy
    today: date
    faults: list[Fault] = field(factory=list)
    notes: list[str] = field(factory=list)
    counted: dict[tuple[Role, str], SignedStatement] = field(factory=dict)
    """For every role and every name in the policy, what they signed first."""
    uncounted: list[tuple[Role, str]] = field(factory=list)
    """For a role, why a signature did not count."""
    stated: list[tuple[str, SignedStatement]] = field(factory=list)
    """What everybody signed whose signature may count, also for the second time."""
    strangers: dict[str, None] = field(factory=dict)
    """Keys that the policy does not name."""

    def fault(self, message: str, place: str) -> None:
        """Note a reason to refuse."""
        self.faults.append(Fault(message, place))

    def envelope(self, envelope: Envelope, place: str) -> None:
        """Count who signed an envelope, if it is about these files."""
        if envelope.payload_type != PAYLOAD_TYPE:
            self.fault(f"it holds something else: its payload type is not '{PAYLOAD_TYPE}'", place)
            return
        owners = list(self._owners(envelope, place))
        if not owners:
            return
        try:
            said = read_statement(envelope.payload)
        except AccountantError as error:
            self.fault(str(error), place)
            return
        wrong = [*self._misfits(said), *self._contradictions(said)]
        for message in wrong:
            self.fault(message, place)
        for owner in owners if not wrong else ():
            self._count(owner, said)

    def _owners(self, envelope: Envelope, place: str) -> Iterator[TrustedKey]:
        """The keys of the policy whose signatures on an envelope hold."""
        for index, signature in enumerate(envelope.signatures):
            key = self.policy.key(signature.key_id)
            if key is None:
                self.strangers[signature.key_id] = None
            elif not key.public.verifies(signature.value, envelope.message):
                self.fault(
                    f"the signature in the name of '{key.name}' does not hold: what they signed was changed, or another "
                    "key signed it",
                    f"{place}.signatures[{index}]",
                )
            else:
                yield key

    def _misfits(self, said: SignedStatement) -> Iterator[str]:
        """Subjects that are not the files at hand. Only a plan that was signed is asked which tables it reads."""
        for part, stored in (("certificate", self.files.stored_certificate), ("plan", self.files.stored_plan)):
            (signed,) = (item.digest for item in said.subjects if item.part == part)
            if signed != stored.digest:
                yield f"the {part} is not the one that was signed: {stored.path} has other bytes"
                if part == "plan":
                    return
        signed_tables = said.of_part("table")
        try:
            here = self.files.tables
        except AccountantError as error:
            yield f"a table that was signed is missing: {error}"
            return
        for name in dict.fromkeys([*here, *signed_tables]):
            if name not in signed_tables:
                yield f"the plan reads the table '{name}', which was not signed"
            elif name not in here:
                yield f"the table '{name}' was signed, and the plan does not read it"
            elif here[name] != signed_tables[name]:
                yield f"the table '{name}' is not the one that was signed: it has other bytes"

    def _contradictions(self, said: SignedStatement) -> Iterator[str]:
        """What a statement says of the certificate and the certificate does not."""
        (signed,) = said.of_part("certificate").values()
        if signed != self.files.stored_certificate.digest:
            return
        try:
            certified = repeated(self.files.certificate)
        except AccountantError as error:
            yield f"the certificate that was signed cannot be read: {error}"
            return
        for key, value in certified.items():
            if canonical(said.says[key]) != canonical(value):
                yield f"the statement says something else under '{key}' than the certificate that it is about"

    def _count(self, owner: TrustedKey, said: SignedStatement) -> None:
        """Count a signature that holds: once for every key, in a role that the policy gives it, while that lasts."""
        role = said.role
        if role not in owner.roles:
            self.uncounted.append((role, f"'{owner.name}' signed as {role}, which the policy does not let them"))
        elif owner.until is not None and self.today > owner.until:
            self.uncounted.append((role, f"the key of '{owner.name}' was to be believed until {owner.until}"))
        elif (role, owner.name) in self.counted:
            self.uncounted.append((role, f"'{owner.name}' signed as {role} more than once, which counts once"))
            self.stated.append((owner.name, said))
        else:
            self.counted[role, owner.name] = said
            self.stated.append((owner.name, said))

    def enough(self, role: Role) -> None:
        """Note where fewer keys signed in a role than are needed, with what was not counted."""
        need, found = self.policy.need.get(role, 0), sum(counted is role for counted, _ in self.counted)
        reasons = list(dict.fromkeys(reason for of, reason in self.uncounted if of is role))
        if found < need:
            why = "".join(f"; {reason}" for reason in reasons)
            self.fault(f"signed by {found} of the {need} that must sign as {role}{why}", f"trust.need.{role}")
        else:
            self.notes.extend(f"{reason}: not counted" for reason in reasons)

    def released(self, files: Mapping[str, str]) -> None:
        """Hold released files to what was signed: by as many as the policy needs of those who know what is run."""
        role = Role.CURATOR if Role.CURATOR in self.policy.need else Role.CHECKER
        for name, digest in files.items():
            place, listed = f"released '{name}'", set()
            for owner, said in self.stated:
                signed = said.of_part("released").get(name)
                if signed is not None and signed != digest:
                    self.fault(f"it is not the file that '{owner}' signed: it has other bytes", place)
                elif signed is not None and said.role is role:
                    listed.add(owner)
            need = self.policy.need[role]
            if len(listed) < need:
                self.fault(f"signed as released by {len(listed)} of the {need} that must sign as {role}", place)
        unseen = dict.fromkeys(name for _, said in self.stated for name in said.of_part("released") if name not in files)
        if unseen:
            self.notes.append(f"signed as released and not looked at: {_shown(list(unseen))}")

    def signers(self) -> Iterator[SignedBy]:
        """Whose signatures count, by role."""
        for key in self.policy.keys:
            for role in Role:
                if (role, key.name) in self.counted:
                    yield SignedBy(key.name, role, key.public.key_id, self.counted[role, key.name].time)


def _shown(names: Sequence[str]) -> str:
    return ", ".join(names[:10]) + (f" and {len(names) - 10:,} more" if len(names) > 10 else "")
