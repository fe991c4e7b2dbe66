"""Cards as HTML for notebooks: nothing runs, nothing is fetched, and everything that somebody wrote is escaped.

Colours of text and ground are those of the page, so that any theme suits; what has a colour of its own has its own ground.
"""

from __future__ import annotations

from html import escape

from accountant.display.card import Card, CardRows, Drawing, Folded, Label, Part

_MOST_ROWS = 10

# Notebooks bring rules for tables of their own: the name three times outweighs them, whatever order they come in.
_CARD = ".accountant-card" * 3
STYLE = """
@ { font-family: system-ui, sans-serif; font-size: 14px; line-height: 1.45; max-width: 60rem; color: inherit }
@ > * { margin: 0 0 .5rem }
@ .accountant-title { font-size: 1.1em; font-weight: 600; overflow-wrap: anywhere }
@ .accountant-label { display: inline-block; padding: 0 .5em; margin-right: .35em; border-radius: .6em; font-weight: 600;
  font-size: .9em; line-height: 1.5; white-space: nowrap; color: #fff; background: #57606a }
@ .accountant-good { background: #1a7f37 }
@ .accountant-bad { background: #c0271d }
@ .accountant-doubtful { background: #8a5a00 }
@ .accountant-wide { overflow-x: auto; max-width: 100% }
@ table { border-collapse: collapse; border: 0; margin: 0; font-size: inherit; table-layout: auto }
@ table tr { background: none }
@ table tr > * { text-align: left; vertical-align: top; padding: .2rem .8rem .2rem 0; border: 0; max-width: 36rem;
  border-top: 1px solid rgba(128, 128, 128, .35); background: none; color: inherit; line-height: inherit;
  white-space: normal; overflow-wrap: break-word }
@ table th { font-weight: 600 }
@ .accountant-facts tr > th { font-weight: 400; opacity: .75; white-space: nowrap }
@ .accountant-facts tr > td { overflow-wrap: anywhere }
@ details summary { cursor: pointer }
@ ol { margin: .3rem 0 0; padding-left: 1.6rem }
@ ol li { overflow-wrap: anywhere }
@ svg { display: block; width: 100%; max-width: 34rem; height: auto; color: inherit }
@ svg text { fill: currentColor; fill-opacity: .75; font: 12px system-ui, sans-serif }
@ svg .accountant-band { color: #2f81f7 }
@media (prefers-color-scheme: dark) {
  @ .accountant-good { background: #238636 }
  @ .accountant-bad { background: #cf2e26 }
  @ .accountant-doubtful { background: #976000 }
}
""".strip().replace("@ ", f"{_CARD} ")


def page_part(card: Card) -> str:
    """A card as one element that brings its style along."""
    title = f'<p class="accountant-title">{_label(card.label)}{escape(card.title)}</p>'
    return "".join(
        (
            f'<div class="accountant-card"><style>{STYLE}</style>',
            title,
            _facts(card.facts),
            *map(_part, card.parts),
            "</div>",
        )
    )


def _label(label: Label | None) -> str:
    return "" if label is None else f'<b class="accountant-label accountant-{label.tone}">{escape(label.word)}</b>'


def _facts(facts: tuple[tuple[str, str], ...]) -> str:
    rows = "".join(f'<tr><th scope="row">{escape(name)}</th><td>{escape(said)}</td></tr>' for name, said in facts)
    return f'<div class="accountant-wide"><table class="accountant-facts">{rows}</table></div>' if rows else ""


def _part(part: Part) -> str:
    match part:
        case CardRows():
            return _table(part)
        case Folded():
            lines = "".join(f"<li>{escape(line)}</li>" for line in part.lines)
            return f"<details><summary>{escape(part.title)}</summary><ol>{lines}</ol></details>"
        case Drawing():
            return f'<div role="img" aria-label="{escape(part.words)}">{part.svg}</div>'


def _table(table: CardRows) -> str:
    """The first rows of a table, and the rest behind a line that says how many there are."""
    head = "".join(f'<th scope="col">{escape(name)}</th>' for name in table.columns)
    shown = _rows(head, table.rows[:_MOST_ROWS])
    rest, further = table.rows[_MOST_ROWS:], table.further
    left = f"<p>and {further:,} more, which are not shown</p>" if further else ""
    title = f"and {len(rest) + further:,} more"
    return shown + (f"<details><summary>{title}</summary>{_rows(head, rest)}{left}</details>" if rest else left)


def _rows(head: str, rows: tuple[tuple[str | Label, ...], ...]) -> str:
    body = "".join(f"<tr>{''.join(map(_cell, row))}</tr>" for row in rows)
    return f'<div class="accountant-wide"><table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table></div>'


def _cell(cell: str | Label) -> str:
    return f"<td>{_label(cell) if isinstance(cell, Label) else escape(cell)}</td>"
