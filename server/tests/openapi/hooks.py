"""Filters requests by rules between fields, which the API's description cannot express, and closes its answers.

Schemathesis sends what the description allows and expects success. A JSON schema cannot add,
compare two fields or refer to the path, so requests that break such a rule are not sent as valid
ones. Everything else is checked unchanged.
"""

import schemathesis

MAX_ID = 2**63 - 2
# The default of a tag.
MAX_STEP = 1_000_000


def number(value):
    """A whole number, or None."""
    return value if isinstance(value, (int, float)) and not isinstance(value, bool) else None


def is_position(value):
    """Whether the value is a position: a number as text."""
    return isinstance(value, str) and value.isdigit()


def fits(layout):
    """Whether the widths of a layout add up to at most 63 bits."""
    if not isinstance(layout, dict):
        return True
    widths = [number(layout.get(f"{part}_bits")) for part in ("time", "worker", "sequence")]
    return None in widths or sum(widths) <= 63


def workers_of(layout):
    """The count of worker numbers of a layout; 1,024 in the default one."""
    if isinstance(layout, dict):
        return 2 ** int(number(layout.get("worker_bits")) or 0)
    return {"edge": 2**16, "long": 2**16, "js53": 2**8}.get(layout, 2**10)


def is_whole(path, body):
    """Whether the fields of a body fit each other."""
    if not fits(body.get("layout")):
        return False
    owner = body.get("owner")
    if isinstance(owner, str) and len(owner.encode("utf-8", "surrogatepass")) > 128:
        # The limit is in bytes.
        return False
    if body.get("strict") is True and body.get("sticky") is not True:
        return False
    if path == "/v1/segments/{tag}/lease" and body.get("exactly") is not None:
        # `exactly` excludes the other sizes, and is at most the tag's `max_step`.
        alone = body.get("step") is None and body.get("at_least") is None
        exactly = number(body["exactly"])
        return exactly is None or (alone and exactly <= MAX_STEP)
    if path == "/v1/tags/{tag}/advance":
        # A valid position may still be below the tag's present one.
        return not is_position(body.get("to"))
    if path == "/v1/tags/{tag}":
        # So may an upper end; only the greatest end is always valid.
        if is_position(body.get("until")) and int(body["until"]) != MAX_ID + 1:
            return False
        # A step is at most the tag's `max_step`, given or present.
        step, most = number(body.get("step")), number(body.get("max_step"))
        first = body.get("from")
        is_high = isinstance(first, str) and first.isdigit() and int(first) > MAX_ID
        return not is_high and (step is None or (most is not None and step <= most))
    if path == "/v1/namespaces/{namespace}":
        # Both or neither: one alone may not fit the present value of the other.
        layout, workers = body.get("layout"), body.get("workers")
        if layout is None or not isinstance(workers, dict):
            return layout is None and workers is None
        start, end = number(workers.get("start")), number(workers.get("end"))
        return None in (start, end) or start < end <= workers_of(layout)
    return True


def close(schema):
    """Lets no object of a schema have a field beside those that it names."""
    if schema.get("type") == "object":
        schema["additionalProperties"] = False
    items = [schema["items"]] if "items" in schema else []
    for inner in [*schema.get("properties", {}).values(), *items]:
        close(inner)


@schemathesis.hook
def before_load_schema(context, raw_schema):
    """Has every field of an answer be described, though clients ignore others."""
    for path, operations in raw_schema["paths"].items():
        for operation in operations.values():
            if path != "/openapi.json":
                close(operation["responses"]["200"]["content"]["application/json"]["schema"])


@schemathesis.hook
def filter_case(context, case):
    """Drops a request whose fields do not fit each other."""
    path = case.operation.path
    named = case.path_parameters or {}
    if case.method in ("DELETE", "PUT") and named.get("tag") == "orders":
        # Other requests use these, so they must not change.
        return False
    if case.method == "PUT" and named.get("namespace") in ("default", "edge"):
        return False
    if path == "/v1/decode/{id}":
        issued = str(named.get("id", ""))
        by = (case.query or {}).get("namespace", "default")
        return by == "default" and not (issued.isdigit() and int(issued) > MAX_ID)
    return not isinstance(case.body, dict) or is_whole(path, case.body)


@schemathesis.hook
def map_case(context, case):
    """Makes a body repeat the path's names correctly."""
    if isinstance(case.body, dict):
        for field in ("tag", "namespace"):
            said = (case.path_parameters or {}).get(field)
            if isinstance(case.body.get(field), str) and isinstance(said, str):
                # A copy: other cases share the body.
                case.body = {**case.body, field: said}
    return case
