"""What `python -m leafid` is made of: the words are those of the command `leafid`."""
