"""The explorer: a report in which a reader moves what is supposed, and every number shown was enclosed beforehand."""
