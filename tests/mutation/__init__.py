"""Mutants: small errors planted into the code one at a time, each of which some test must notice.

`python -m tests.mutation` draws a sample and judges it; CONTRIBUTING.md says how. Nothing here imports what it mutates:
each mutant lives in a process of its own, where it is loaded in place of the module it was made from.
"""
