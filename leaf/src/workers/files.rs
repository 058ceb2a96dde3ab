//! Reads the worker numbers that Leaf keeps in files: Leaf's `workerID.properties`, `workerID.json` of its
//! fork's mode `local`, and that mode's list, `leaf.snowflake.local.workIdMap` of `leaf.properties` or its
//! value alone. None of them names the clock that it was written by.

use std::path::Path;

use leafid_core::StoreTime;
use leafid_store::problem::Problem;
use serde_json::{Map, Value};

use super::{Found, Growth, Node, time};
use crate::config::{Keys, LIST};
use crate::{invalid, properties};

/// Reads one of Leaf's files; `owner` is the Leaf of a `workerID.properties`, which does not name it.
///
/// # Errors
/// `REQUEST_INVALID`.
pub fn read(path: &Path, owner: Option<&str>, now: StoreTime) -> Result<Found, Problem> {
    let place = path.display().to_string();
    let text = std::fs::read(path)
        .map_err(|error| invalid(format!("`{place}` cannot be read: {error}")))?;
    let (growth, nodes) = nodes(text.trim_ascii(), &place, owner)?;
    Ok(Found { place, now, growth, nodes })
}

fn nodes(text: &[u8], place: &str, owner: Option<&str>) -> Result<(Growth, Vec<Node>), Problem> {
    let keys;
    let list = if text.starts_with(b"{") {
        text
    } else {
        keys = Keys(properties::read(text)?);
        match keys.text(LIST)? {
            Some(list) => list.as_bytes(),
            None => {
                let node = cached(&keys, place, owner)?;
                // A registry gave out this number, and gives the next ones to other Leafs.
                return Ok((Growth::Next(u64::from(node.worker) + 1), vec![node]));
            }
        }
    };
    let said: Map<String, Value> = serde_json::from_slice(list).map_err(|error| {
        invalid(format!("`{place}` is not JSON as in {{\"192.0.2.2:8080\":3}} ({error})"))
    })?;
    let nodes = match said.contains_key("workId") {
        true => vec![stamped(&said, list, place)?],
        false => listed(&said, place)?,
    };
    Ok((Growth::Listed, nodes))
}

/// Reads the numbers of a `workIdMap`.
///
/// # Errors
/// `REQUEST_INVALID` with the entry that is wrong.
pub fn listed(said: &Map<String, Value>, place: &str) -> Result<Vec<Node>, Problem> {
    let node = |(owner, number): (&String, &Value)| {
        let worker = whole(number).filter(|_| owner.contains(':')).ok_or_else(|| {
            invalid(format!(
                "`{place}` has the entry \"{owner}\":{number}: use as in \"192.0.2.2:8080\":3"
            ))
        })?;
        Ok(bare(worker, owner.clone(), place))
    };
    said.iter().map(node).collect()
}

fn whole(number: &Value) -> Option<u32> {
    number.as_u64()?.try_into().ok()
}

fn bare(worker: u32, owner: String, place: &str) -> Node {
    Node { worker, owner: Some(owner), stamped: Ok(None), seen: None, place: place.to_owned() }
}

/// Reads `workerID.properties`.
fn cached(keys: &Keys, place: &str, owner: Option<&str>) -> Result<Node, Problem> {
    let worker = keys.text("workerID")?.and_then(|number| number.parse().ok()).ok_or_else(|| {
        invalid(format!(
            "`{place}` does not look like a file that Leaf writes: it must hold `workerID=7`, `{LIST}=…`, \
             or JSON such as {{\"192.0.2.2:8080\":3}}"
        ))
    })?;
    let owner = owner.ok_or_else(|| {
        invalid(format!("`{place}` does not say whose number {worker} is: add --owner IP:PORT"))
    })?;
    Ok(bare(worker, owner.to_owned(), place))
}

/// Reads `workerID.json`.
fn stamped(said: &Map<String, Value>, text: &[u8], place: &str) -> Result<Node, Problem> {
    let text_of = |field: &str| said.get(field).and_then(Value::as_str);
    let (Some(worker), Some(ip), Some(port)) =
        (whole(&said["workId"]), text_of("ip"), text_of("port"))
    else {
        return Err(invalid(format!(
            "`{place}` is not Leaf's workerID.json: it lacks one of `ip`, `port` and `workId`"
        )));
    };
    Ok(Node { stamped: time(text, "timestamp"), ..bare(worker, format!("{ip}:{port}"), place) })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn numbers(text: &str, owner: Option<&str>) -> Result<Vec<(u32, String)>, Problem> {
        let (_, found) = nodes(text.as_bytes(), "f", owner)?;
        Ok(found.into_iter().map(|node| (node.worker, node.owner.unwrap_or_default())).collect())
    }

    #[test]
    fn each_file_of_leaf_is_read() {
        let one = |worker, owner: &str| Ok(vec![(worker, owner.to_owned())]);
        assert_eq!(numbers("workerID=0", Some("192.0.2.2:1")), one(0, "192.0.2.2:1"));
        let json = r#"{"ip":"192.0.2.2","port":"18404","workId":5,"timestamp":1795247810346}"#;
        assert_eq!(numbers(json, None), one(5, "192.0.2.2:18404"));
        assert_eq!(
            nodes(json.as_bytes(), "f", None).unwrap().1[0].stamped,
            Ok(Some(StoreTime::new(1_795_247_810_346)))
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
            let said = numbers(text, None).unwrap_err().detail;
            assert!(said.contains(says), "{text}: {said}");
        }
    }
}
