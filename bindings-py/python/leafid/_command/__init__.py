"""The verbs of `python -m leafid`, named as those of the command `leafid`."""
