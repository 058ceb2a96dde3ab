"""An application whose processes have a folder of state files: the IDs of each request as 64-bit
integers, and in headers which process drew them, and how often it has leased.

    LEAFID_STATE=FOLDER gunicorn support.keeping:wsgi
"""

import os
import warnings
from array import array

import leafid

EACH = 20_000
# Far ahead of the clock, so that a life which goes on below the end of the one before gives the same
# IDs again. A window that is used up while the store is away is not waited for.
ids = leafid.Snowflake("edge", state=os.environ["LEAFID_STATE"], max_ahead=20.0, timeout=0.5)
# A file that is not used would be said so.
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
