"""Figures and tables of the sources that no other command draws, beside what is printed."""
