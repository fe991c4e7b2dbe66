"""Every figure of a plan: curves that are true between the places that were read, and what each speaks of in words."""
