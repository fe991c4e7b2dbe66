"""What the queries of this package rest on."""

from __future__ import annotations

from accountant.plugin import Theorem

VALUE_SHIFT = Theorem(
    "shift-by-values",
    "Between datasets in which one record has another value of an attribute, a sum of that attribute moves by no more than "
    "the values do, and counts up to thresholds by one for each threshold between the values.",
    "accountant",
    "explanation/policies",
    assurance="proved-here",
)

GRAPH_SHIFT = Theorem(
    "shift-of-graphs",
    "One edge moves the degrees of two nodes by one each, and closes a triangle with each common neighbour; one node of d "
    "edges moves the degrees of d others, and closes at most d(d - 1)/2 triangles.",
    "accountant",
    "explanation/policies",
    assurance="proved-here",
)
