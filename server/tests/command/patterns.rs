//! Tags by pattern: applied from a file, made by their first lease, guarded by tokens, and what becomes
//! of them when a store goes back.
#![cfg(unix)]

use std::path::Path;

use serde_json::{Value, json};

use crate::restored::{lease_from, make, noted, overlaps, serve};
use crate::secured::{Secured, ask};
use crate::support::{Home, REQUEST, Serving, agent, fails, has, play, refusal, says};

const FILE: &str = "[tags.orders]\n[tags.\"tenant:*\"]\nstep = 10\nmost = 2\n";

fn apply(store: &str, folder: &Path, text: &str, more: &[&str]) -> String {
    let file = folder.join("tags.toml");
    std::fs::write(&file, text).expect("a file");
    says(store, &[&["apply", file.to_str().expect("text")], more].concat())
}

fn refuses(store: &str, folder: &Path, text: &str) -> String {
    let file = folder.join("tags.toml");
    std::fs::write(&file, text).expect("a file");
    let file = file.to_str().expect("text");
    let dry = fails(store, &["apply", file, "--dry-run"], 1);
    let said = fails(store, &["apply", file], 1);
    assert_eq!(dry, said, "what would be refused is what is refused");
    said
}

fn check(store: &str, folder: &Path) {
    let would = apply(store, folder, FILE, &["--dry-run"]);
    assert!(would.contains("would create pattern `tenant:*`"), "{would}");
    assert!(!says(store, &["tag", "list"]).contains("tenant"), "a dry run does nothing");
    let done = apply(store, folder, FILE, &[]);
    assert!(done.contains("created pattern `tenant:*`") && done.contains("2 created"), "{done}");
    assert_eq!(apply(store, folder, FILE, &[]), "0 created, 0 changed, 2 already as in the file\n");

    assert_eq!(says(store, &["next", "tenant:7"]), "1\n");
    let list = says(store, &["tag", "list"]);
    assert!(list.contains("tenant:7 ") && list.contains("tenant:* "), "{list}");
    assert!(list.contains("creates tags on first use, 1 of 2 so far"), "{list}");
    let list: Value = serde_json::from_str(&says(store, &["tag", "list", "--json"])).expect("JSON");
    let row = json!({ "pattern": "tenant:*", "from": "1", "step": 10, "max_step": 1_000_000,
                      "most": 2, "made": 1, "suspended": false });
    assert_eq!(list["patterns"], json!([row]));
    assert!(fails(store, &["next", "tenants"], 1).contains("TAG_UNKNOWN"), "a misspelt name");
    says(store, &["next", "tenant:8"]);
    play(store, "lease tenant:9 --count 1 =1 QUOTA_EXCEEDED & made 2 tags, of 2");

    let more = FILE.replace("most = 2", "most = 3").replace("step = 10", "step = 20");
    for (args, verb) in [(&["--dry-run"][..], "would change"), (&[], "changed")] {
        let told = apply(store, folder, &more, args);
        assert!(told.contains(&format!("{verb} pattern `tenant:*`: ")), "{told}");
        assert!(told.contains("most 2 → 3") && told.contains("step 10 → 20"), "{told}");
    }
    says(store, &["lease", "tenant:9", "--count", "1"]);
    let raised = more.replace("step = 20", "step = 20\nfrom = 500");
    assert!(apply(store, folder, &raised, &[]).contains("from \"1\" → \"500\""));
    for (text, words) in [
        ("[tags.\"tenant:*\"]\nfrom = 499", "it begins at 500, and never goes down"),
        ("[tags.\"tenant:*\"]\nmost = 0", "`most` of pattern `tenant:*` must be 1 or more"),
        ("[tags.\"tenant:*\"]\nuntil = 400", "needs 1 <= from <= until"),
        ("[tags.\"a:*\"]\nstep = 9\nmax_step = 5", "step 9 and max_step 5"),
        ("[tags.\"*\"]", "`*` is not a valid pattern"),
        ("[tags.\"a*b\"]", "`a*b` is not a valid pattern"),
        (
            "[tags.\"a:*\"]\nmsot = 1",
            "a pattern has `from`, `step`, `max_step`, `until` and `most`",
        ),
        ("[tags.orders]\nmost = 1", "unknown field `most`"),
    ] {
        let said = refuses(store, folder, text);
        assert!(said.contains(words), "{text}: {said}");
    }
    let said = says(store, &["tag", "delete", "tenant:*"]);
    has(&said, &["pattern `tenant:*` deleted; the tags that it made stay"]);
    assert!(fails(store, &["tag", "delete", "tenant:*"], 1).contains("does not exist"));
    assert!(fails(store, &["next", "tenant:10"], 1).contains("TAG_UNKNOWN"));
    says(store, &["next", "tenant:7"]);
}

#[test]
fn a_pattern_is_applied_to_a_server() {
    let folder = tempfile::tempdir().expect("a folder");
    let serving = Serving::start(&folder.path().join("store.db"));
    check(&serving.url, folder.path());
    serving.logs(&["INFO", "created by its first lease", "tag=tenant:7"]);
    serving.logs(&["audit: create pattern `tenant:*`"]);
    serving.logs(&["audit: change pattern `tenant:*`"]);
    serving.logs(&["audit: delete pattern `tenant:*`"]);
}

#[test]
fn a_pattern_is_applied_to_the_file_itself() {
    let home = Home::with_store();
    check(&home.store, home.path());
}

/// Who may use some tags makes those and no others, and says of no others how they are made.
#[test]
fn tokens_count_for_tags_that_are_made_and_for_patterns() {
    let secured = Secured::new();
    let admin = secured.token(&["admin", "--verb", "lease", "--verb", "read", "--verb", "admin"]);
    let eu = secured.token(&[
        "eu",
        "--tag",
        "tenant:eu:*",
        "--verb",
        "lease",
        "--verb",
        "read",
        "--verb",
        "admin",
        "--max-step",
        "5",
    ]);
    let serving = secured.serve(&[]);
    let agent = agent();
    let says = |token: &str, method: &str, path: &str, body: Value| {
        let url = format!("{}{path}", serving.url);
        let (status, _, answer) = ask(&agent, Some(token), method, &url, &body).expect("an answer");
        (status, answer)
    };
    let lease = |token: &str, tag: &str| {
        let path = format!("/v1/segments/{tag}/lease");
        says(token, "POST", &path, json!({ "request": REQUEST }))
    };
    assert_eq!(says(&eu, "PUT", "/v1/patterns/tenant:*", json!({})).0, 403);
    assert_eq!(says(&eu, "GET", "/v1/patterns/tenant:*", Value::Null).0, 403);
    assert_eq!(says(&eu, "GET", "/v1/patterns", Value::Null).0, 403);
    assert_eq!(says(&admin, "PUT", "/v1/patterns/tenant:*", json!({ "step": 100 })).0, 200);
    assert_eq!(says(&eu, "PUT", "/v1/patterns/tenant:eu:*", json!({ "step": 100 })).0, 200);
    assert_eq!(lease(&eu, "tenant:us:1").0, 403);
    // What it may have in one lease counts from the first one on.
    let (status, grant) = lease(&eu, "tenant:eu:1");
    assert_eq!((status, &grant["end"], &grant["step"]), (200, &json!("6"), &json!(5)), "{grant}");
    assert_eq!(lease(&admin, "tenant:us:1").1["end"], "101");
    assert_eq!(lease(&admin, "other").0, 404);
    assert_eq!(says(&admin, "GET", "/v1/patterns", Value::Null).1["patterns"][0]["made"], 1);
}

/// A store that was fenced makes no tag by a pattern that was said before: what is not there may have
/// been lost, and without a journal nobody knows how far it was.
#[test]
fn after_a_fence_a_pattern_makes_none_until_it_is_said_where_they_begin() {
    for journal in [true, false] {
        let folder = tempfile::tempdir().expect("a folder");
        let path = |name: &str| folder.path().join(name);
        let store = format!("sqlite:{}", path("store.db").display());
        let notes = path("journal");
        std::fs::create_dir(&notes).expect("a folder");
        let notes = journal.then_some(notes.as_path());
        make(&store);
        apply(&store, folder.path(), FILE, &[]);
        says(&store, &["backup", path("copy.db").to_str().expect("text")]);
        let mut first = serve(&store, notes);
        let lost = lease_from(&first, "tenant:7", 30);
        if let Some(notes) = notes {
            noted(notes, &lost);
        }
        first.kill();
        for end in ["", "-wal", "-shm"] {
            let _ = std::fs::remove_file(path(&format!("store.db{end}")));
        }
        std::fs::copy(path("copy.db"), path("store.db")).expect("a copy");
        if !journal {
            says(&store, &["repair", "--without-journal"]);
        }
        let second = serve(&store, notes);
        second.ready(200, &["\"ok\""]);
        if journal {
            // The journal knows how far the tag was, so it goes on.
            assert_eq!(overlaps(&lost, &lease_from(&second, "tenant:7", 5)), 0);
        }
        for tag in if journal { &["tenant:8"][..] } else { &["tenant:7", "tenant:8"] } {
            let refused = refusal(second.lease(tag, &json!({})), 404, "TAG_UNKNOWN");
            let detail = refused["detail"].to_string();
            assert!(detail.contains("fenced since the pattern was applied"), "{detail}");
        }
        play(&second.url, "tag list => suspended, as the store was fenced");
        // The file as it was lifts nothing: it says nothing new of where the tags begin.
        for (text, words) in [
            (FILE.to_owned(), "needs `from`"),
            (format!("{FILE}from = 1"), "name a first number above every one in use"),
        ] {
            let said = refuses(&second.url, folder.path(), &text);
            assert!(said.contains(words), "{said}");
        }
        apply(&second.url, folder.path(), &format!("{FILE}from = 301"), &[]);
        let begins = if journal { "tenant:8" } else { "tenant:7" };
        let after = lease_from(&second, begins, 5);
        assert_eq!(after[0].1, 301, "{after:?}");
        assert_eq!(overlaps(&lost, &after), 0);
    }
}

/// The control of the test above: a copy that is served without a fence makes the tag again from 1.
#[test]
fn without_a_fence_a_tag_that_was_made_since_the_copy_is_made_again() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = |name: &str| folder.path().join(name);
    let store = format!("sqlite:{}", path("store.db").display());
    make(&store);
    apply(&store, folder.path(), FILE, &[]);
    says(&store, &["backup", path("copy.db").to_str().expect("text")]);
    let mut first = serve(&store, None);
    let lost = lease_from(&first, "tenant:7", 30);
    assert_eq!(first.end("-TERM").0, Some(0));
    let second = serve(&format!("sqlite:{}", path("copy.db").display()), None);
    let twice = overlaps(&lost, &lease_from(&second, "tenant:7", 30));
    println!("the control: {twice} leases twice");
    assert_eq!(twice, 30);
    // Where whoever holds numbers of it comes first, nobody is given them.
    for (more, said) in [
        (json!({ "have_until": "11" }), (409, json!("STORE_WENT_BACK"))),
        (json!({}), (500, json!("STORE_REFUSED"))),
    ] {
        let (status, refused) = second.lease("tenant:8", &more);
        assert_eq!((status, refused["code"].clone()), said, "{refused}");
    }
}

#[test]
fn a_store_that_replaces_a_lost_one_wants_a_first_number_for_each_pattern() {
    let home = Home::new();
    says(&home.store, &["init", "--replaces-lost"]);
    let file = home.path().join("tags.toml");
    std::fs::write(&file, "[tags.\"tenant:*\"]\n").expect("a file");
    let said = fails(&home.store, &["apply", file.to_str().expect("text")], 1);
    has(&said, &["pattern `tenant:*` needs `from`"]);
    apply(&home.store, home.path(), "[tags.\"tenant:*\"]\nfrom = 7001\n", &[]);
    assert_eq!(says(&home.store, &["next", "tenant:1"]), "7001\n");
}
