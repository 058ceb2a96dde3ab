//! Rows edited past the server, on every engine: a step of 0, a position near the end, a lower position,
//! a tag that is deleted while used. The tag is refused with its code, the others go on, and nothing is
//! granted twice.

use serde_json::{Value, json};

use crate::serve;
use crate::support::{Home, Serving, number, refusal, says, until};

/// Writes position and step of a tag past the server.
type Hand<'a> = &'a dyn Fn(&str, u64, u64);

/// Asks until the store answers in time.
fn answered(serving: &Serving, tag: &str) -> Value {
    let answered = || Some(serving.lease(tag, &json!({}))).filter(|(status, _)| *status != 503);
    until(answered).expect("an answer").1
}

fn start(grant: &Value) -> u64 {
    number(&grant["start"])
}

pub fn is_refused_alone(url: &str, edit: Hand<'_>) {
    says(url, &["init"]);
    let tags = ["good", "none", "end", "spent", "lower", "gone"];
    for tag in tags {
        says(url, &["tag", "create", tag, "--step", "10"]);
    }
    edit("none", 1, 0);
    edit("end", 9_223_372_036_854_775_800, 10);
    edit("spent", 9_223_372_036_854_775_807, 10);
    let serving = serve(url, &[]);
    for (tag, code) in [("none", "STEP_INVALID"), ("spent", "TAG_SPENT")] {
        let problem = answered(&serving, tag);
        assert_eq!(problem["code"], code, "{problem}");
        assert!(problem["detail"].as_str().expect("text").contains(&format!("`{tag}`")));
    }
    // A shorter range, up to the last number, and then no more.
    assert_eq!(answered(&serving, "end")["end"], "9223372036854775807");
    assert_eq!(answered(&serving, "end")["code"], "TAG_SPENT");
    assert_eq!(start(&answered(&serving, "good")), 1);
    let (_, list) = serving.get("/v1/tags");
    assert_eq!(list["tags"].as_array().map(Vec::len), Some(tags.len()), "{list}");
    serving.ready(200, &["\"ok\""]);
    says(url, &["tag", "set", "none", "--step", "7"]);
    assert_eq!(answered(&serving, "none")["end"], "8");

    // Deleted by a command while this server leases from it.
    assert_eq!(start(&answered(&serving, "gone")), 1);
    says(url, &["tag", "delete", "gone"]);
    assert_eq!(answered(&serving, "gone")["code"], "TAG_UNKNOWN");
    says(url, &["tag", "create", "gone", "--step", "10"]);
    assert_eq!(start(&answered(&serving, "gone")), 11, "it goes on above");

    // This server remembers what it wrote, and fences: every tag moves past all that may have been granted.
    assert_eq!(start(&answered(&serving, "lower")), 1);
    edit("lower", 3, 10);
    let above = start(&answered(&serving, "lower"));
    assert!(above >= 100 * 1_000_000, "{above}");
    serving.logs(&["ERROR", "STORE_WENT_BACK", "lower"]);
    // Another server without that journal does not know; a holder's proof tells it.
    edit("good", 2, 10);
    let other = serve(url, &["--no-journal"]);
    let ask = json!({ "request": format!("{:032x}", 12), "have_until": "11" });
    refusal(other.patient("/v1/segments/good/lease", &ask), 409, "STORE_WENT_BACK");
    other.ready(200, &["degraded", "good"]);
    says(&other.url, &["tag", "advance", "good", "--to", "11"]);
    assert_eq!(start(&answered(&other, "good")), 11);
    other.ready(200, &["\"ok\""]);
}

#[test]
fn bad_rows_in_a_file_are_refused_alone() {
    let home = Home::new();
    is_refused_alone(&home.store, &|tag, max_id, step| {
        let connection = rusqlite::Connection::open(&home.store).expect("a file");
        let set = "UPDATE tags SET max_id = ?2, step = ?3 WHERE tag = ?1";
        let [max_id, step] = [max_id, step].map(u64::cast_signed);
        connection.execute(set, rusqlite::params![tag, max_id, step]).expect("an update");
    });
}
