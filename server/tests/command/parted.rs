//! What `serve` refuses of two stores, and when two names are one store.

use std::process::Command;

use crate::support::{LEAFID, Serving, fails, has, says};

const SERVE: [&str; 3] = ["serve", "--listen", "127.0.0.1:0"];

#[test]
fn names_that_leave_a_kind_without_a_store_or_a_store_without_a_kind_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    let [a, b, c] = ["a.db", "b.db", "c.db"].map(|name| folder.path().join(name));
    let [a, b, c] = [&a, &b, &c].map(|file| format!("sqlite:{}", file.display()));
    for (args, says) in [
        (&["--tags", &a][..], "no store is named for worker numbers"),
        (&["--workers", &a], "no store is named for tags"),
        (&["--tags", &a, "--workers", &b, "--store", &c], "leave out --store"),
        (&["--tags", "", "--workers", &b], "worker numbers"),
        (&["--tags", "http://127.0.0.1:1", "--workers", &b], "tags: `http://127.0.0.1:1`"),
        (&["--tags", "memory:", "--workers", &b], "tags: `memory:`"),
    ] {
        let refused = fails("", &[&SERVE[..], &["--create"], args].concat(), 1);
        assert!(refused.contains("REQUEST_INVALID"), "{args:?}: {refused}");
        if args[1].is_empty() {
            assert!(refused.contains("unsupported store ``"), "{refused}");
        } else {
            assert!(refused.contains(says), "{args:?}: {refused}");
        }
    }
    // The third is named by its variable.
    has(&fails(&c, &[&SERVE[..], &["--tags", &a, "--workers", &b]].concat(), 1), &["LEAFID_STORE"]);
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0, "no store was made");
    let id = "00112233445566778899aabbccddeeff";
    let two = ["--tags", &a, "--workers", &b, "--expect-store", id];
    assert!(fails("", &[&SERVE[..], &two].concat(), 1).contains("there are two stores"));
}

#[test]
fn one_store_that_is_named_twice_is_one() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("store.db");
    let (plain, named) = (file.display().to_string(), format!("sqlite:{}", file.display()));
    let mut command = Command::new(LEAFID);
    let twice = ["--tags", &plain, "--workers", &named, "--create"];
    let mut serving = Serving::spawn(command.args(SERVE).args(twice));
    let ready = serving.ready(200, &["\"ok\""]);
    assert!(ready["store"].is_string() && ready["tags"].is_null(), "{ready}");
    assert_eq!(serving.first.matches("store id").count(), 1, "{}", serving.first);
    says(&serving.url, &["tag", "create", "orders"]);
    says(&serving.url, &["next", "orders"]);
    says(&serving.url, &["next", "--namespace", "default"]);
    assert_eq!(serving.end("-TERM").0, Some(0));
}

/// That two names lead to one store is seen when both are open.
#[cfg(unix)]
#[test]
fn one_store_under_two_names_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let (file, link) = (folder.path().join("store.db"), folder.path().join("link.db"));
    let [file, link] = [&file, &link].map(|file| file.display().to_string());
    says(&file, &["init"]);
    std::os::unix::fs::symlink(&file, &link).unwrap();
    let refused = fails("", &[&SERVE[..], &["--tags", &file, "--workers", &link]].concat(), 1);
    assert!(refused.contains("STORE_REFUSED"), "{refused}");
    assert!(refused.contains("which --tags and --workers both name"), "{refused}");
    // The control: a copy by a backup is another file, and the same store.
    let copy = folder.path().join("copy.db").display().to_string();
    std::fs::copy(&file, &copy).unwrap();
    let said = fails("", &[&SERVE[..], &["--tags", &file, "--workers", &copy]].concat(), 1);
    has(&said, &["which --tags and --workers both name"]);
    // Another store is another one.
    let other = folder.path().join("other.db").display().to_string();
    says(&other, &["init"]);
    let mut command = Command::new(LEAFID);
    let mut serving =
        Serving::spawn(command.args(SERVE).args(["--tags", &file, "--workers", &other]));
    serving.ready(200, &["\"workers\":{\"generation\""]);
    assert_eq!(serving.end("-TERM").0, Some(0));
}
