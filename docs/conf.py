"""Sphinx configuration: `sphinx-build -W -n docs build/docs`."""

from __future__ import annotations

import sys
from importlib.metadata import version as installed_version
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent / "_ext"))

project = "accountant"
author = "the accountant developers"
copyright = "the accountant developers"
version = release = installed_version("privacy-accountant")

extensions = [
    "myst_parser",
    "sphinx.ext.autodoc",
    "mathml",
    "sphinx_copybutton",
    "sphinx_design",
    "sphinxcontrib.bibtex",
    "accountant_docs",
    "gallery",
]
exclude_patterns = ["_ext", "build", "_build"]
html_math_renderer = "mathml"
html_theme = "furo"
html_title = "accountant"
html_static_path = ["_static"]
copybutton_prompt_text = "$ "
copybutton_line_continuation_character = "\\"
language = "en_GB"
smartquotes = False

myst_enable_extensions = ["colon_fence", "deflist", "dollarmath"]
myst_heading_anchors = 3
bibtex_bibfiles = ["../accountant/report/references.bib"]
bibtex_reference_style = "author_year"

# Docstrings put names between single backticks.
default_role = "code"
autodoc_typehints = "signature"
autodoc_member_order = "bysource"
autodoc_default_options = {"members": True}
nitpicky = True
# Types of the standard library and of other packages are named but not linked; our own are linked by accountant_docs.
nitpick_ignore_regex = [
    ("py:.*", r"(collections|fractions|pathlib|typing|numpy|decimal|abc|enum|pluggy|types|attrs|click|matplotlib)(\..*)?"),
    ("py:.*", r"(Any|Callable|Fraction|Decimal|Iterable|Iterator|Mapping|Sequence|Path|Literal|ModuleType|Enum|Axes)"),
    ("py:.*", r"accountant\.numbers\.rounding\..*"),  # described in explanation/rounding
    ("py:.*", r"accountant\.ledger\.store\.Store"),  # what a ledger is made of, and nobody needs to name
    ("py:.*", r"accountant\.engines\.engine\.[ST]"),  # what a function is spread over, and what it gives
    ("py:.*", r"accountant\.plan\.origins\.Origins"),  # where a plan was read from, which readers put in
    ("py:.*", r"(int|str|bool|float|tuple|dict|list|frozenset|type|object|None|T)"),
]
