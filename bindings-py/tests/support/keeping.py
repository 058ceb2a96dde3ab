"""A web application whose processes share a folder of state files. It answers with IDs as 64-bit
integers, and headers with the process and its number of leases.

    LEAFID_STATE=FOLDER gunicorn support.keeping:wsgi
"""

import os
import warnings
from array import array

import leafid

EACH = 20_000
# Far ahead of the clock, so that a run that starts below the end of the last one gives the same IDs
# again. The time-out is short, since a window may be used up while the store is away.
ids = leafid.Snowflake("edge", state=os.environ["LEAFID_STATE"], max_ahead=20.0, timeout=0.5)
# An unused file causes a warning.
warnings.filterwarnings("error", message=".*state file")


def wsgi(_environ, start_response):
    drawn = array("Q", bytes(8 * EACH))
    try:
        ids.fill(drawn)
    except leafid.TimedOutError as error:
        start_response("503 Service Unavailable", [("Content-Type", "text/plain")])
        return [str(error).encode()]
    told = [("X-Pid", str(os.getpid())), ("X-Grants", str(ids.stats().grants))]
    start_response("200 OK", [("Content-Type", "application/octet-stream"), *told])
    return [drawn.tobytes()]
