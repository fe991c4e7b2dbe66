"""Imprint: who publishes a report, when, whom to ask, and how anybody can check it."""

from __future__ import annotations

import shlex
from typing import TYPE_CHECKING

from accountant.plan.publication import ADDRESS_OF_A_PERSON
from accountant.report.document import Listing, Paragraph, Section
from accountant.report.editions import edition
from accountant.report.marks import Code, Link, Words
from accountant.report.messages import say, words

if TYPE_CHECKING:
    from accountant.certificate.certificate import Certificate
    from accountant.plan.plan import Plan


def imprint(plan: Plan) -> tuple[tuple[str, Words], ...]:
    """What a plan says about its publication, each under a word; nothing where it says nothing."""
    said = plan.publication
    if said is None:
        return ()
    contact = said.contact
    found: dict[str, Words | None] = {
        "publisher": said.publisher,
        "date": said.date,
        "contact": (Link(contact, f"mailto:{contact}"),) if contact and ADDRESS_OF_A_PERSON.fullmatch(contact) else contact,
        "link": None if said.link is None else (Link(said.link.removeprefix("https://"), said.link),),
    }
    return tuple((say(f"imprint.{name}"), item) for name, item in found.items() if item is not None)


def others(said: str) -> Words:
    """That reports for other readers say more, with those that lie beside this one."""
    if not edition().others:
        return said
    links: list[str | Link | Code] = []
    for audience, file in edition().others:
        links += [f"{', ' if links else ''}{audience}: ", Link.to_file(file)]
    return f"{said} ", *words("check.others", links=tuple(links))


def checking(certificate: Certificate, plan: Plan) -> Section:
    """How anybody can check the report: with which files, and by which command.

    Where nobody said what the files are called, their names are left for the reader to put in.
    """
    made = edition()
    files = {"plan": made.plan, "certificate": made.certificate}
    links = {name: Link.to_file(file) for name, file in files.items() if file is not None}
    kind = "files" if len(links) == 2 else next(iter(links), "unnamed")
    where = words(f"check.{kind}", **links)
    if plan.publication is not None and plan.publication.link is not None:
        address = plan.publication.link
        where = (*where, " ", *words("check.found", link=Link(address.removeprefix("https://"), address)))
    name, proof = shlex.quote(made.plan or "PLAN"), shlex.quote(made.certificate or "CERTIFICATE")
    return Section(
        say("check.title"),
        (
            Paragraph(where),
            Paragraph(say("check.how")),
            Listing(f"pip install privacy-accountant\naccountant verify {proof} {name}"),
            Paragraph(words("check.digest", digest=Code(certificate.contents.plan_digest))),
        ),
    )
