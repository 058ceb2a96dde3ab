"""The store's side of the protocol, pure: rows and an ask in, a new row and an answer out.

For stores written in Python: read the row, decide here, write the new row provided that nobody else
has written it since, and only then answer. Rows, asks and answers are plain dicts; IDs and ticks are
`int`. A refusal is raised as the `LeafidError` of its code.
"""

from ._native import acquire, lease_segment, namespace_row, release, renew, tag_row

__all__ = ["acquire", "lease_segment", "namespace_row", "release", "renew", "tag_row"]
