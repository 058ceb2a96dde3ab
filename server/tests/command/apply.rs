//! `leafid apply`: a file that lists the tags and namespaces of a store.

use std::path::Path;

use crate::support::{Home, Serving, does, fails, has, output, play, refused, says};

const FILE: &str = r#"
# what the shop needs
[tags.orders]
from = 5000001
step = 10
until = 2147483648

[tags."eu.invoices"]

[namespaces.edge]
layout = "edge"
workers = "0..64"
max_window = "10s"

[namespaces.own]
layout = { epoch_ms = 1735689600000, tick_ms = 10, time_bits = 39, worker_bits = 8, sequence_bits = 6 }
"#;

struct Case<'a> {
    store: &'a str,
    file: &'a Path,
}

impl Case<'_> {
    fn apply(&self, text: &str, more: &[&str]) -> String {
        std::fs::write(self.file, text).unwrap();
        says(self.store, &[&["apply", self.file.to_str().unwrap()], more].concat())
    }

    fn refuses(&self, text: &str) -> String {
        std::fs::write(self.file, text).unwrap();
        let file = self.file.to_str().unwrap();
        let dry = fails(self.store, &["apply", file, "--dry-run"], 1);
        let said = fails(self.store, &["apply", file], 1);
        assert_eq!(dry, said, "what would be refused is what is refused");
        said
    }

    fn all(&self) -> String {
        says(self.store, &["tag", "list"]) + &says(self.store, &["namespace", "list"])
    }
}

#[test]
fn it_makes_and_changes_what_the_file_says() {
    let home = Home::new();
    let serving = home.serve(&[]);
    let (store, file) = (serving.url.as_str(), home.path().join("leafid.toml"));
    let case = Case { store, file: &file };
    let before = case.all();
    let would = case.apply(FILE, &["--dry-run"]);
    for what in ["tag `orders`", "tag `eu.invoices`", "namespace `edge`", "namespace `own`"] {
        has(&would, &[&format!("would create {what}")]);
    }
    assert_eq!(case.all(), before, "a dry run does nothing");

    let done = case.apply(FILE, &[]);
    has(&done, &["created tag `orders`", "4 created, 0 changed"]);
    assert_eq!(says(store, &["next", "orders"]), "5000001\n");
    let spaces = says(store, &["namespace", "list"]);
    let each = ["`edge`: 41/16/6 bits", "`own`: 39/8/6", "workers 0..64, windows of 10000 ms"];
    has(&spaces, &each);
    // Applying it again changes nothing, though the tag has moved meanwhile.
    assert_eq!(case.apply(FILE, &[]), "0 created, 0 changed, 4 already as in the file\n");

    let other = FILE.replace("step = 10", "step = 20").replace("0..64", "0..65");
    for (more, verb) in [(&["--dry-run"][..], "would change"), (&[], "changed")] {
        let told = case.apply(&other, more);
        for what in ["tag `orders`: step 10 → 20", "namespace `edge`: workers 0..64 → 0..65"] {
            has(&told, &[&format!("{verb} {what}")]);
        }
    }
    assert!(says(store, &["namespace", "list"]).contains("0..65"));
    let json = r#"{"tags":{"orders":{"step":20,"from":"5000001"}},"namespaces":{"default":{}}}"#;
    assert_eq!(case.apply(json, &[]), "0 created, 0 changed, 2 already as in the file\n");

    // The longest window may change only before the first window is granted.
    let longer = other.replace("10s", "20s");
    assert!(case.apply(&longer, &[]).contains("max_window_ms 10000 → 20000"));
    says(store, &["next", "--namespace", "edge"]);
    let before = case.all();
    let new = "[tags.new]\n";
    for (text, says) in [
        (format!("{new}{other}"), "namespace `edge`: it has granted windows"),
        (format!("{new}[tags.orders]\nfrom = 6000001"), "leafid tag advance orders --to 6000001"),
        (format!("{new}[tags.orders]\nstep = 0"), "needs 1 <= step"),
        (format!("{new}[tags.orders]\nstep = 9\nmax_step = 5"), "step 9 and max_step 5"),
        (format!("{new}[tags.orders]\nuntil = 5000000"), "until must be"),
        (format!("{new}[namespaces.edge]\nworkers = \"0..65537\""), "0..65536"),
        (format!("{new}[namespaces.other]\nworkers = \"5..5\""), "workers 5..5"),
        (format!("{new}[namespaces.other]\nmax_window_ms = 999"), "1000 to 86400000"),
    ] {
        has(&case.refuses(&text), &[says, "nothing was done"]);
    }
    for (text, says) in [
        ("[tags.a b]", "not TOML"),
        ("[tags.\"a b\"]", "`tags.a b`"),
        ("[tags.\"a:*\"]\nmost = 1", "TAG_INVALID"),
        ("[tags.a]\nstp = 1", "`tags.a`: unknown field `stp`"),
        ("[tags.a]\nstp = 1", "a tag has `from`, `step`, `max_step` and `until`"),
        ("[namespaces.a]\nlay = 1", "a namespace has `layout`"),
        ("[tags.a]\nstep = 1.5", "field `step` must be a whole number"),
        ("[tags.a]\nstep = 1\nstep = 2", "duplicate key"),
        ("{\"tags\":{\"a\":{},\"a\":{}}}", "field `a` is given twice"),
        ("{\"tags\":{\"a\":{}}", "not JSON"),
        ("[tag.a]", "`tag` is not known in this file"),
        ("tags = 1", "`tags` must be a table"),
        ("[tags]\na = 1", "`tags.a` must be a table"),
        ("[namespaces.a]\nlayout = \"oak\"", "`leaf`, `edge`, `long`"),
        ("[namespaces.a]\nworkers = \"7\"", "0..64"),
        ("[namespaces.a]\nmax_window = \"999999999h\"", "from 1s to 24h"),
        ("[namespaces.a]\nmax_window = 10", "a number and a unit"),
    ] {
        has(&case.refuses(text), &[says]);
    }
    play(store, "apply /nowhere/at/all.toml =1 cannot read `/nowhere/at/all.toml`");
    assert_eq!(case.all(), before, "nothing of what was refused was done");
}

/// In the store's file itself, as the verbs do it.
#[test]
fn the_files_of_the_help_can_be_applied() {
    let home = Home::with_store();
    let store = home.store.as_str();
    let help = says(store, &["apply", "--help"]);
    let (toml, rest) =
        help.split_once("in TOML:\n").unwrap().1.split_once("or the same in JSON:").unwrap();
    let json = rest.lines().next().unwrap().trim().trim_end_matches('.');
    let case = Case { store, file: &home.path().join("file") };
    assert!(case.apply(toml, &[]).contains("2 created"), "{toml}");
    assert!(case.apply(json, &[]).contains("2 already as in the file"), "{json}");
    assert!(says(store, &["tag", "list"]).contains("5000001"));
}

/// The program `script` provides a terminal and types the answers there.
#[cfg(target_os = "linux")]
#[test]
fn at_a_terminal_it_asks() {
    let home = Home::with_store();
    let (store, keys) = (&home.store, home.at("keys"));
    let tags = home.write("tags.toml", "[tags.orders]\n");
    does(std::process::Command::new("mkfifo").arg(&keys));
    let typed = |answer: &str, more: &str| {
        let line = format!("{} apply {tags} {more}", crate::support::LEAFID);
        // Both ends stay open: at the end of its input `script` waits before it goes on.
        let typed = format!(
            "exec 3<>{keys}; printf '{answer}\\n' >&3; \
             exec script --quiet --return --command '{line}' /dev/null <&3"
        );
        let mut command = std::process::Command::new("sh");
        let output = output(command.args(["-c", &typed]).env("LEAFID_STORE", store));
        (output.status.success(), String::from_utf8(output.stdout).unwrap())
    };
    let there = || says(store, &["tag", "list"]).contains("orders");
    for answer in ["n", "", "what"] {
        let (done, said) = typed(answer, "");
        assert!(!done && said.contains("would create tag `orders`"), "{answer}: {said}");
        assert!(said.contains("not agreed") && !there(), "{answer}: {said}");
    }
    let (done, said) = typed("y", "");
    assert!(done && said.contains("do this?") && said.contains("created tag") && there(), "{said}");
    // No question where nothing is to be done, nor with `--yes`.
    let (done, said) = typed("n", "");
    assert!(done && !said.contains("do this?"), "{said}");
    std::fs::write(&tags, "[tags.orders]\nstep = 7\n").unwrap();
    let (done, said) = typed("n", "--yes");
    assert!(done && !said.contains("do this?") && said.contains("step 1000 → 7"), "{said}");
}

/// A server applies the file at its start: a container comes with its tags.
#[test]
fn a_server_applies_a_file_at_its_start() {
    let home = Home::new();
    let serve = |tags: &str| home.command(&["--apply", &home.write("tags.toml", tags)]);
    let first = Serving::spawn(&mut serve(FILE));
    first.logs(&["applied the file", "4 created or changed, 0 as they were"]);
    assert_eq!(says(&first.url, &["next", "orders"]), "5000001\n");
    drop(first);
    let again = Serving::spawn(&mut serve(&FILE.replace("step = 10", "step = 20")));
    again.logs(&["changed tag `orders`: step 10 → 20"]);
    again.logs(&["1 created or changed, 3 as they were"]);
    drop(again);
    // A change that is impossible is logged; the server still serves the rest.
    let wrong = Serving::spawn(&mut serve("[tags.new]\n[tags.orders]\nfrom = 6000001\n"));
    wrong.logs(&["was not applied", "leafid tag advance orders --to 6000001"]);
    let tags = says(&wrong.url, &["tag", "list"]);
    assert!(tags.contains("orders") && !tags.contains("new"), "all or nothing: {tags}");
    drop(wrong);
    // An unreadable file is an error of the settings, found before anything is served.
    has(&refused(&mut serve("[tag.a]"), 1), &["`tag` is not known"]);
}
