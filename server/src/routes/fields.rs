//! What each field of the API means, what it may be, and an example of it.

use leafid_core::registry::{MAX_WINDOW_CAP_MS, STEP_CAP};
use leafid_core::{Layout, NAME_BYTES};
use serde_json::{Value, json};

use super::input::ROWS;
use crate::generators;

/// The largest number that JavaScript holds exactly.
const MAX_SAFE: u64 = (1 << 53) - 1;
const TOKEN: &str = "8f14e45fceea167a5a36dedd4bea2543";
/// No control characters.
const OWNER: &str = r"^[^\u0000-\u001f\u007f-\u009f]*$";
const NAME: &str = "[A-Za-z0-9][A-Za-z0-9._:-]{0,127}";

/// The schema of a field, with what its name says about it.
pub fn described(name: &str, mut schema: Value) -> Value {
    let (description, more) = about(name, &schema);
    schema["description"] = description.into();
    for (key, value) in more.as_object().into_iter().flatten() {
        schema[key] = value.clone();
    }
    schema
}

/// A field of a path or a query.
pub fn parameter(name: &str, place: &str, path: &str) -> Value {
    let (schema, description, example) = match (name, path) {
        ("tag", _) => (named(), "the name of a tag", json!("orders")),
        ("namespace", "/v1/decode/{id}") => {
            (named(), "the namespace that issued the ID; `default` if absent", json!("default"))
        }
        ("namespace", _) => (named(), "the name of a namespace", json!("edge")),
        ("worker", _) => (up_to(0, u32::MAX), "a worker number", json!(7)),
        ("id", _) => {
            (super::schema::big(), "an ID, in decimal digits", json!("2143981510456274961"))
        }
        ("limit", _) => (up_to(1, ROWS.1), "how many rows at most; 100 if absent", json!(10)),
        (_, "/v1/workers/{namespace}") => {
            let first_page = json!({ "type": "string", "maxLength": 0 });
            let after = json!({ "anyOf": [up_to(0, u32::MAX), first_page] });
            (after, "the last worker number of the page before; empty for the first", json!(41))
        }
        _ => {
            let after = json!({ "type": "string", "pattern": format!("^({NAME})?$") });
            (after, "the last name of the page before; empty for the first", json!("orders"))
        }
    };
    json!({
        "name": name,
        "in": place,
        "required": place == "path",
        "description": description,
        "schema": schema,
        "example": example,
    })
}

fn named() -> Value {
    let pattern = format!("^{NAME}$");
    json!({ "type": "string", "minLength": 1, "maxLength": NAME_BYTES, "pattern": pattern })
}

fn up_to(least: u32, most: u32) -> Value {
    json!({ "type": "integer", "minimum": least, "maximum": most })
}

fn ms(example: u64) -> Value {
    json!({ "minimum": 0, "maximum": MAX_SAFE, "examples": [example] })
}

fn bits(least: u8, most: u8, example: u8) -> Value {
    json!({ "minimum": least, "maximum": most, "examples": [example] })
}

fn like(mut schema: Value, example: &str) -> Value {
    schema["examples"] = json!([example]);
    schema
}

/// What a field means, and what its schema says beyond its type.
fn about(name: &str, schema: &Value) -> (&'static str, Value) {
    let is_text = schema["type"] == "string";
    let step = |example: u32| like_number(1, STEP_CAP, example);
    let example = |value: Value| json!({ "examples": [value] });
    match name {
        "tag" => (
            "the name of the tag; in a request it need not be there, and equals the path's",
            like(named(), "orders"),
        ),
        "namespace" => (
            "the name of the namespace; in a request it need not be there, and equals the path's",
            like(named(), "edge"),
        ),
        "request" => {
            ("fresh for every request of one holder; the answer repeats it", example(TOKEN.into()))
        }
        "store" => ("the id of the store", example("c9f0f895fb98ab9159f51fd0297e236d".into())),
        "key" => ("the `request` of the acquire that got the worker number", example(TOKEN.into())),
        "owner" => (
            "a label of the holder, for people: 1 to 128 bytes without control characters",
            json!({ "maxLength": NAME_BYTES, "pattern": OWNER, "examples": ["host-7/4711"] }),
        ),
        "step" => (
            "how many numbers a lease of the tag takes; in a lease, how many this one takes",
            step(1_000),
        ),
        "at_least" => (
            "how many numbers a caller waits for at once: the lease has so many, unless that is \
             more than `max_step`",
            like_number(1, u32::MAX, 1),
        ),
        "max_step" => ("how many numbers a lease takes at most", step(1_000_000)),
        "count" => ("how many IDs", like_number(1, generators::MOST as u32, 3)),
        "from" => (
            "the first number of a new tag, from 1 to 9223372036854775806",
            json!({ "pattern": "^[1-9][0-9]{0,18}$", "examples": ["5000001"] }),
        ),
        "exactly" => (
            "so many numbers as one range, or none at all; at most `max_step`, without `step` and \
             `at_least`",
            like_number(1, STEP_CAP, 100),
        ),
        "until" => (
            "the upper end of the tag: one more than the last number that may be granted; absent \
             where there is none, and 9223372036854775807 in a request takes it away",
            example("2147483648".into()),
        ),
        "to" => (
            "where the tag is to stand: the next number that it grants; not below its position, \
             not above its `until`",
            example("5000001".into()),
        ),
        "have_until" => (
            "the highest end that the holder ever had; above the store's own it has lost grants",
            example("1001".into()),
        ),
        "unused_from" => {
            ("the first tick that the holder did not use", example("511165025343".into()))
        }
        "length_ms" => (
            "how long a window is wanted, in ms; below 1000 counts as 1000",
            like_number(0, u32::MAX, 60_000),
        ),
        "max_window_ms" => {
            ("the longest window, in ms", like_number(1_000, MAX_WINDOW_CAP_MS, 600_000))
        }
        "sticky" => ("whether the worker number is kept for this owner", example(false.into())),
        "strict" => (
            "whether only the number kept for the owner will do; needs `sticky`",
            example(false.into()),
        ),
        "layout" if schema["oneOf"].is_null() => ("how an ID is put together", json!({})),
        "layout" => (
            "how an ID is put together; in a request also the name of a preset",
            example(json!("leaf")),
        ),
        "epoch_ms" => {
            ("the time of tick 0, in ms since 1970", ms(Layout::LEAF.epoch_ms().unsigned_abs()))
        }
        "tick_ms" => ("the length of a tick, in ms", like_number(1, 86_400_000, 1)),
        "time_bits" => ("how many bits the time has", bits(1, 63, 41)),
        "worker_bits" => ("how many bits the worker number has", bits(0, 32, 10)),
        "sequence_bits" => ("how many bits the sequence has", bits(0, 63, 12)),
        "worker" => ("a worker number", like_number(0, u32::MAX, 7)),
        "workers" if schema["type"] == "array" => {
            ("the worker numbers that were ever handed out", json!({}))
        }
        "workers" => (
            "the worker numbers that may be handed out, from `start` to below `end`",
            example(json!({ "start": 0, "end": 64 })),
        ),
        "start" if is_text => ("the first position of the range", example("1".into())),
        "end" if is_text => ("the first position beyond the range", example("1001".into())),
        "start" => ("the first worker number", like_worker(0)),
        "end" => ("the first worker number beyond them", like_worker(64)),
        "remaining" => ("how many numbers the tag has left", example("9223372036854774806".into())),
        "max_id" => ("the next number that was never granted", example("1001".into())),
        "deleted" => ("whether the tag is deleted: never true here", example(false.into())),
        "floor" => ("the tick below which nothing is granted", example("0".into())),
        "held" => ("whether a process holds the number", example(true.into())),
        "held_from" => ("the first tick of the window", example("511165025343".into())),
        "reserved_until" => {
            ("the first tick that was never granted on this number", example("511165085343".into()))
        }
        "reserved_until_ms" => {
            ("the time of `reserved_until`, in ms since 1970", ms(1_800_000_060_000))
        }
        "granted_ms" => (
            "when the number was last granted, by the store's clock, in ms since 1970",
            ms(1_800_000_000_000),
        ),
        "now_ms" => ("the store's time, in ms since 1970", ms(1_800_000_000_000)),
        "last_ms" => {
            ("the last time that the layout holds, in ms since 1970", ms(3_487_858_230_208))
        }
        "time_ms" => ("the time within the ID, in ms since 1970", ms(1_800_000_000_000)),
        "time" => ("the time within the ID, as text", example("2027-01-15T08:00:00.000Z".into())),
        "tick" => ("the tick within the ID", example("511165025343".into())),
        "sequence" => ("the sequence within the ID", example("17".into())),
        "base32" => (
            "the ID as 13 letters and digits that sort as the IDs do",
            example("1VG7KTC7W0W0H".into()),
        ),
        "id" => ("the ID", example("2143981510456274961".into())),
        "ids" => ("the IDs, ascending", example(json!(["1", "2", "3"]))),
        "tags" => ("the tags, by name", json!({})),
        "namespaces" => ("the namespaces, by name", json!({})),
        "status" if !schema["enum"].is_null() => {
            ("`degraded` while a line stands below what a holder has of it", example("ok".into()))
        }
        "status" if is_text => ("`ok`", example("ok".into())),
        "went_back" => (
            "the lines of which a holder has more than the store ever granted, each a tag or a \
             worker number with the end of either",
            json!({}),
        ),
        "status" => ("the HTTP status", like_number(400, 599, 404)),
        "type" => ("always `about:blank`", example("about:blank".into())),
        "title" => (
            "what to do about problems of this code",
            example("create it with `leafid tag create TAG`".into()),
        ),
        "code" => ("what went wrong, as one word", example("TAG_UNKNOWN".into())),
        "detail" => (
            "what happened, with the figures, and what to do",
            example("tag `ordres` does not exist; create it: leafid tag create ordres".into()),
        ),
        "request_id" => (
            "which request it was: the same as in the header `X-Request-Id` and in the server's log",
            example("5f1e0c7a9b3d2e4600000000000000a7".into()),
        ),
        "retry_after_ms" => {
            ("how long to wait before asking again, in ms", like_number(0, u32::MAX, 1_000))
        }
        "free_at_ms" => {
            ("when the first worker number is free, in ms since 1970", ms(1_800_000_060_000))
        }
        _ => ("", json!({})),
    }
}

fn like_number(least: u32, most: u32, example: u32) -> Value {
    json!({ "minimum": least, "maximum": most, "examples": [example] })
}

/// The end of a layout's worker numbers is 2^32 at most.
fn like_worker(example: u32) -> Value {
    json!({ "minimum": 0, "maximum": 1_u64 << 32, "examples": [example] })
}
