//! Rows edited past the server, on every engine: a step of 0, a position near the end, a lower position,
//! a tag that is deleted while used. The tag is refused with its code, the others go on, and nothing is
//! granted twice.

use crate::serve;
use crate::support::{Home, REQUEST, play, says};

/// Writes position and step of a tag past the server.
type Hand<'a> = &'a dyn Fn(&str, u64, u64);

const TAGS: [&str; 6] = ["good", "none", "end", "spent", "lower", "gone"];

/// At the end a range is shorter, up to the last number, and then there is none.
const REFUSED: &str = r#"
POST /v1/segments/none/lease {@} =400 STEP_INVALID & `none`
POST /v1/segments/spent/lease {@} =422 TAG_SPENT & `spent`
POST /v1/segments/end/lease {@} => "end":"9223372036854775807"
POST /v1/segments/end/lease {@} =422 TAG_SPENT
POST /v1/segments/good/lease {@} => "start":"1"
"#;

pub fn is_refused_alone(url: &str, edit: Hand<'_>) {
    says(url, &["init"]);
    for tag in TAGS {
        says(url, &["tag", "create", tag, "--step", "10"]);
    }
    edit("none", 1, 0);
    edit("end", 9_223_372_036_854_775_800, 10);
    edit("spent", 9_223_372_036_854_775_807, 10);
    let serving = serve(url, &[]);
    let asked = |script| play(&serving.url, script);
    asked(REFUSED);
    let (_, list) = serving.get("/v1/tags");
    assert_eq!(list["tags"].as_array().map(Vec::len), Some(TAGS.len()), "{list}");
    serving.ready(200, &["\"ok\""]);
    play(url, "tag set none --step 7 => step 7");
    asked("POST /v1/segments/none/lease {@} => \"end\":\"8\"");

    // Deleted by a command while this server leases from it.
    asked("POST /v1/segments/gone/lease {@} => \"start\":\"1\"");
    play(url, "tag delete gone => deleted");
    asked("POST /v1/segments/gone/lease {@} =404 TAG_UNKNOWN");
    play(url, "tag create gone --step 10 => next number 11");
    asked("POST /v1/segments/gone/lease {@} => \"start\":\"11\"");

    // Its journal shows it to the server that leased from it. Another one does not know; a holder's proof tells
    // it.
    asked("POST /v1/segments/lower/lease {@} => \"start\":\"1\"");
    edit("lower", 2, 10);
    asked("POST /v1/segments/lower/lease {@} => \"start\":\"11\"");
    serving.logs(&["ERROR", "STORE_WENT_BACK", "generation=1"]);
    edit("good", 2, 10);
    let other = serve(url, &["--no-journal"]);
    let lease = "POST /v1/segments/good/lease";
    play(&other.url, &format!("{lease} {{@,\"have_until\":\"11\"}} =409 STORE_WENT_BACK"));
    other.ready(200, &["degraded", "good"]);
    play(&other.url, "tag advance good --to 11 => next number 11");
    // On a slow machine a first try has waited too long for the other server: its numbers are skipped.
    let request = serde_json::json!({ "request": REQUEST });
    let (status, lease) = other.patient("/v1/segments/good/lease", &request);
    let start = lease["start"].as_str().and_then(|start| start.parse::<u64>().ok());
    assert!(status == 200 && start >= Some(11), "{lease}");
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
