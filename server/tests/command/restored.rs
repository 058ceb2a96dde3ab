//! Compares a store's grants before and after it goes back to an older state, by the running server
//! and by a new one. Nothing may be granted twice.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};

use serde_json::{Value, json};

use crate::support::{Serving, number, refusal, says};

/// Granted ranges: name of the line, start, end (exclusive).
pub type Grants = Vec<(String, u64, u64)>;

pub fn serve(store: &str, journal: Option<&Path>) -> Serving {
    match journal {
        Some(folder) => Serving::of(store, &["--journal", &folder.display().to_string()]),
        None => Serving::of(store, &["--no-journal"]),
    }
}

pub fn make(store: &str) {
    says(store, &["init"]);
    fill(store);
}

/// As [`make`], in an existing store.
pub fn fill(store: &str) {
    for tag in ["orders", "users"] {
        says(store, &["tag", "create", tag, "--step", "10", "--max-step", "20"]);
    }
    says(store, &["namespace", "create", "minute", "--max-window", "1m"]);
}

const LATE: [&str; 7] = ["tag", "create", "late", "--step", "10", "--max-step", "20"];

fn lease_from(serving: &Serving, tag: &str, times: u32) -> Grants {
    let once = |_| {
        let (status, grant) =
            serving.patient(&format!("/v1/segments/{tag}/lease"), &json!({ "request": request() }));
        assert_eq!(status, 200, "{tag}: {grant}");
        range(tag, &grant)
    };
    (0..times).map(once).collect()
}

pub fn lease(serving: &Serving, times: u32) -> Grants {
    let mut grants = Grants::new();
    for _ in 0..times {
        for tag in ["orders", "users"] {
            grants.extend(lease_from(serving, tag, 1));
        }
    }
    let ask = json!({ "request": request(), "owner": "o" });
    let (status, grant) = serving.patient("/v1/workers/minute/acquire", &ask);
    if status == 200 {
        grants.push(range(&format!("minute/{}", grant["worker"]), &grant));
    } else {
        // The refusal names a time, which is later than all that was granted before.
        assert_eq!((status, &grant["code"]), (503, &json!("WORKERS_EXHAUSTED")), "{grant}");
    }
    grants
}

pub fn request() -> String {
    static COUNT: AtomicU64 = AtomicU64::new(1);
    format!("{:032x}", COUNT.fetch_add(1, Ordering::SeqCst))
}

fn range(line: &str, grant: &Value) -> (String, u64, u64) {
    (line.to_owned(), number(&grant["start"]), number(&grant["end"]))
}

pub fn overlaps(before: &Grants, after: &Grants) -> usize {
    let twice = |(line, start, end): &&(String, u64, u64)| {
        before.iter().any(|(other, from, to)| other == line && from < end && start < to)
    };
    after.iter().filter(twice).count()
}

/// Checks that every journal in a folder has bounds at or above what was granted: no answer comes before. Gives
/// the bounds of the tags in the last one.
pub fn noted(journal: &Path, grants: &Grants) -> BTreeMap<String, u64> {
    let files = std::fs::read_dir(journal).expect("a folder").map(|file| file.unwrap().path());
    let is_journal = |path: &PathBuf| path.extension().is_some_and(|end| end == "journal");
    let files: Vec<PathBuf> = files.filter(is_journal).collect();
    assert!(!files.is_empty() && grants.iter().any(|(line, ..)| !line.contains('/')));
    let mut last = BTreeMap::new();
    for file in files {
        let text = std::fs::read_to_string(&file).expect("a journal");
        let mut bounds: BTreeMap<String, u64> = BTreeMap::new();
        for line in text.lines() {
            if let ["tag" | "changed", end, tag, _] = line.split(' ').collect::<Vec<_>>()[..] {
                let bound = bounds.entry(tag.to_owned()).or_default();
                *bound = end.parse().unwrap_or(0).max(*bound);
            }
        }
        for (line, _, end) in grants.iter().filter(|(line, ..)| !line.contains('/')) {
            let bound = bounds.get(line).copied().unwrap_or(0);
            assert!(bound >= *end, "{}: {line} up to {end}, and not {bound}", file.display());
        }
        last = bounds;
    }
    last
}

/// Grants, copies the store, grants more, puts the copy back, and grants by a new server. Gives the
/// number of overlapping grants and the new server's log.
pub fn goes_back(
    store: &str,
    journal: Option<&Path>,
    mut copy: impl FnMut(),
    mut put_back: impl FnMut(),
) -> (usize, String) {
    let mut first = serve(store, journal);
    // A database that has just started may drop its first connections: until then 503 is right.
    first.ready(200, &["\"ok\""]);
    let mut before = lease(&first, 3);
    let _ = end(&mut first);
    copy();
    let mut second = serve(store, journal);
    second.ready(200, &["\"ok\""]);
    let mut lost = lease(&second, 12);
    says(&second.url, &LATE);
    lost.extend(lease_from(&second, "late", 12));
    if let Some(journal) = journal {
        noted(journal, &lost);
    }
    before.extend(lost);
    // A kill, so that the server cannot write anything more.
    second.kill();
    put_back();
    let mut third = serve(store, journal);
    third.ready(200, &["\"ok\""]);
    let mut after = lease(&third, 40);
    says(&third.url, &LATE);
    after.extend(lease_from(&third, "late", 12));
    assert!(after.len() >= 80 && before.len() >= 30, "{} and {}", before.len(), after.len());
    end(&mut third);
    let log = third.log();
    (overlaps(&before, &after), log)
}

/// Puts a store without a journal back from its copy, until a holder proves the loss: from then on its
/// tag is refused by this server and the next, until an operator has moved it. The control: before the
/// proof the tag is granted.
pub fn holds_more(store: &str, mut copy: impl FnMut(), mut put_back: impl FnMut()) {
    let mut first = serve(store, None);
    first.ready(200, &["\"ok\""]);
    lease_from(&first, "orders", 5);
    let _ = end(&mut first);
    copy();
    let mut second = serve(store, None);
    second.ready(200, &["\"ok\""]);
    let lost = lease_from(&second, "orders", 30);
    second.kill();
    put_back();
    let third = serve(store, None);
    third.ready(200, &["\"ok\""]);
    let twice = overlaps(&lost, &lease_from(&third, "orders", 3));
    assert_eq!(twice, 3, "the control");
    let highest = lost.iter().map(|(_, _, end)| *end).max().expect("a grant").to_string();
    let path = "/v1/segments/orders/lease";
    let proof = json!({ "request": request(), "have_until": highest });
    refusal(third.patient(path, &proof), 409, "STORE_WENT_BACK");
    let other = serve(store, None);
    other.ready(200, &["degraded", &highest]);
    for serving in [&third, &other, &third] {
        refusal(serving.patient(path, &json!({ "request": request() })), 500, "STORE_REFUSED");
        assert_eq!(lease_from(serving, "users", 1).len(), 1, "others go on");
    }
    says(&other.url, &["tag", "advance", "orders", "--to", &highest]);
    let mut after = lease_from(&third, "orders", 20);
    after.extend(lease_from(&other, "orders", 20));
    assert_eq!((after.len(), overlaps(&lost, &after)), (40, 0));
}

fn end(serving: &mut Serving) -> Option<i32> {
    serving.end("-TERM").0
}
