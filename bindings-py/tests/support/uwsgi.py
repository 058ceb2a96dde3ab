"""uWSGI, as its wheel has it: `python uwsgi.py OPTIONS…`."""

import sys

import pyuwsgi

pyuwsgi.run(sys.argv[1:])
