//! The numbers that Leaf keeps in files: `workerID.properties` of Leaf, `workerID.json` of its fork's
//! mode `local`, and that mode's list, `leaf.snowflake.local.workIdMap` of `leaf.properties` or its
//! value alone. None of them tells by which clock it was written.

use std::path::Path;

use leafid_core::{Code, StoreTime};
use leafid_store::problem::Problem;
use serde_json::{Map, Value};

use super::{Found, Growth, Node, time};

/// The list's key in `leaf.properties`.
const LIST: &str = "leaf.snowflake.local.workIdMap";

/// Reads one of Leaf's files; `owner` says whose `workerID.properties` is, which does not say it.
///
/// # Errors
/// `REQUEST_INVALID`.
pub fn read(path: &Path, owner: Option<&str>, now: StoreTime) -> Result<Found, Problem> {
    let place = path.display().to_string();
    let text = std::fs::read_to_string(path)
        .map_err(|error| invalid(format!("`{place}` cannot be read: {error}")))?;
    let nodes = nodes(&text, &place, owner).map_err(invalid)?;
    let growth = match nodes[..] {
        // A registry gave this number to it, and gives others to others.
        [Node { worker, .. }] if is_cached(&text) => Growth::Next(u64::from(worker) + 1),
        _ => Growth::Listed,
    };
    Ok(Found { place, now, growth, nodes })
}

/// Whether it is a `workerID.properties`.
fn is_cached(text: &str) -> bool {
    !text.trim_start().starts_with('{') && property(text, LIST).is_none()
}

fn invalid(detail: String) -> Problem {
    Problem::new(Code::RequestInvalid, detail)
}

fn nodes(text: &str, place: &str, owner: Option<&str>) -> Result<Vec<Node>, String> {
    let text = text.trim();
    let list = match text.starts_with('{') {
        true => text.to_owned(),
        false => match property(text, LIST) {
            Some(list) => list,
            None => return Ok(vec![cached(text, place, owner)?]),
        },
    };
    let said: Map<String, Value> = serde_json::from_str(&list).map_err(|error| {
        format!("`{place}` is not JSON as in {{\"192.0.2.2:8080\":3}} ({error})")
    })?;
    if said.contains_key("workId") {
        return Ok(vec![stamped(&said, text, place)?]);
    }
    listed(&said, place)
}

/// The numbers of a `workIdMap`.
///
/// # Errors
/// What is wrong with it.
pub fn listed(said: &Map<String, Value>, place: &str) -> Result<Vec<Node>, String> {
    let node = |(owner, number): (&String, &Value)| {
        let worker = number.as_u64().and_then(|number| u32::try_from(number).ok());
        let worker = worker.filter(|_| owner.contains(':')).ok_or_else(|| {
            format!("`{place}` has the entry \"{owner}\":{number}: use as in \"192.0.2.2:8080\":3")
        })?;
        Ok(bare(worker, owner.clone(), place))
    };
    said.iter().map(node).collect()
}

fn bare(worker: u32, owner: String, place: &str) -> Node {
    let (stamped, seen, unreadable) = Default::default();
    Node { worker, owner: Some(owner), stamped, seen, unreadable, place: place.to_owned() }
}

/// `workerID.properties`.
fn cached(text: &str, place: &str, owner: Option<&str>) -> Result<Node, String> {
    let worker = property(text, "workerID").and_then(|number| number.parse().ok());
    let worker = worker.ok_or_else(|| {
        format!(
            "`{place}` does not look like a file that Leaf writes: it must hold `workerID=7`, `{LIST}=…`, \
             or JSON such as {{\"192.0.2.2:8080\":3}}"
        )
    })?;
    let owner = owner.ok_or_else(|| {
        format!("`{place}` does not say whose number {worker} is: add --owner IP:PORT")
    })?;
    Ok(bare(worker, owner.to_owned(), place))
}

/// `workerID.json`.
fn stamped(said: &Map<String, Value>, text: &str, place: &str) -> Result<Node, String> {
    let worker = said["workId"].as_u64().and_then(|number| u32::try_from(number).ok());
    let text_of = |field: &str| said.get(field).and_then(Value::as_str);
    let (Some(worker), Some(ip), Some(port)) = (worker, text_of("ip"), text_of("port")) else {
        return Err(format!(
            "`{place}` is not Leaf's workerID.json: it lacks one of `ip`, `port` and `workId`"
        ));
    };
    let (stamped, unreadable) = time(text.as_bytes(), "timestamp");
    Ok(Node { stamped, unreadable, ..bare(worker, format!("{ip}:{port}"), place) })
}

/// The value of a key in Java's form of properties, as far as Leaf's files use it.
fn property(text: &str, key: &str) -> Option<String> {
    text.lines().find_map(|line| {
        let value = line.trim().strip_prefix(key)?.trim_start().strip_prefix(['=', ':'])?;
        // A colon may be escaped.
        Some(value.trim().replace("\\:", ":"))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn numbers(text: &str, owner: Option<&str>) -> Result<Vec<(u32, String)>, String> {
        let found = nodes(text, "f", owner)?;
        Ok(found.into_iter().map(|node| (node.worker, node.owner.unwrap_or_default())).collect())
    }

    #[test]
    fn each_file_of_leaf_is_read() {
        let one = |worker, owner: &str| Ok(vec![(worker, owner.to_owned())]);
        assert_eq!(numbers("workerID=0", Some("192.0.2.2:1")), one(0, "192.0.2.2:1"));
        let json = r#"{"ip":"192.0.2.2","port":"18404","workId":5,"timestamp":1795247810346}"#;
        assert_eq!(numbers(json, None), one(5, "192.0.2.2:18404"));
        assert_eq!(
            nodes(json, "f", None).unwrap()[0].stamped,
            Some(StoreTime::new(1_795_247_810_346))
        );
        let two = vec![(3, "a:1".to_owned()), (4, "b:2".to_owned())];
        assert_eq!(numbers(r#"{"a:1":3,"b:2":4}"#, None), Ok(two.clone()));
        let file = "leaf.name=x\nleaf.snowflake.local.workIdMap={\"a\\:1\":3,\"b\\:2\":4}\n";
        assert_eq!(numbers(file, None), Ok(two));
    }

    #[test]
    fn nonsense_is_refused_with_what_would_do() {
        for (text, says) in [
            ("workerID=0", "--owner"),
            ("workerID=x", "look like a file that Leaf writes"),
            ("", "look like a file that Leaf writes"),
            ("{", "not JSON"),
            ("[1]", "look like a file that Leaf writes"),
            (r#"{"a:1":-3}"#, "\"a:1\":-3"),
            (r#"{"a":3}"#, "\"a\":3"),
            (r#"{"workId":5}"#, "lacks one of"),
        ] {
            let said = numbers(text, None).unwrap_err();
            assert!(said.contains(says), "{text}: {said}");
        }
    }
}
