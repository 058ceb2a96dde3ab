//! A server that listens at several addresses, also at ones that other machines reach.

use std::process::Command;

use serde_json::{Value, json};

use crate::support::{Home, JSON, LEAFID, Serving, call, fails, has, says, send_raw as send};

fn at(serving: &Serving, words: &str) -> Vec<String> {
    let told = |line: &str| line.strip_prefix(words).map(|url| url.trim().to_owned());
    serving.first.lines().filter_map(told).collect()
}

fn asked(url: &str, host: &str, method: &str, path: &str) -> (u16, String) {
    let headers = format!("{JSON}host: {host}\r\n");
    let answer = send(url, &format!("{method} {path}"), &headers, "{}");
    (answer.status, answer.code().to_owned())
}

#[test]
fn a_listener_has_several_addresses() {
    let home = Home::new();
    let options = ["--listen", "[::1]:0", "--listen-admin", "127.0.0.1:0,[::1]:0"];
    let mut serving = home.serve(&options);
    let admins = at(&serving, "leafid: changes are made at ");
    let mut mains = at(&serving, "leafid: listening on ");
    // The start prints the second listener first; support.rs stops reading at that line.
    assert_eq!((admins.len(), mains.len()), (2, 1), "{}", serving.first);
    assert!(mains[0].starts_with("http://[::1]:") && admins[0].starts_with("http://[::1]:"));
    let line = serving.logs(&["INFO started", "api http://127.0.0.1:", "api http://[::1]:"]);
    let first = line.split("api http://127.0.0.1:").nth(1).unwrap();
    let port: u16 = first.split(',').next().unwrap().parse().unwrap();
    mains.push(format!("http://127.0.0.1:{port}"));
    for (main, admin) in mains.iter().zip(&admins) {
        assert_eq!(call(main, "GET", "/readyz", &Value::Null).0, 200);
        assert_eq!(call(admin, "PUT", "/v1/tags/a", &json!({})).0, 200);
        assert_eq!(call(main, "PUT", "/v1/tags/a", &json!({})).1["code"], "FORBIDDEN");
    }
    assert_eq!(serving.end("-TERM").0, Some(0));
}

#[test]
fn what_others_reach_and_nothing_guards_is_refused_unless_that_listener_says_so() {
    let home = Home::new();
    for (options, says) in [
        (&["--listen", "0.0.0.0:0"][..], "--insecure api"),
        (&["--listen", "[::]:0"], "--insecure api"),
        (&["--listen", "127.0.0.1:0", "--listen", "0.0.0.0:0"], "--insecure api"),
        (&["--listen", "0.0.0.0:0", "--insecure", "leaf"], "--insecure api"),
        (&["--listen-leaf", "0.0.0.0:0", "--insecure", "api"], "--insecure leaf"),
        (&["--listen-admin", "0.0.0.0:0"], "0.0.0.0:0"),
        (
            &["--listen-admin", "0.0.0.0:0", "--insecure", "api,leaf"],
            "changes need a token even with --insecure",
        ),
    ] {
        let usual = if options[0] == "--listen" { &[][..] } else { &["--listen", "127.0.0.1:0"] };
        let args = [&["serve", "--create"], options, usual].concat();
        has(&fails(&home.store, &args, 1), &["NOT_ENABLED", says]);
        assert!(!home.path().join("store.db").exists(), "nothing was begun");
    }
}

#[test]
fn an_open_listener_changes_nothing_and_knows_its_names() {
    let home = Home::with_store();
    says(&home.store, &["tag", "create", "orders"]);
    let open = ["serve", "--listen", "0.0.0.0:0", "--insecure", "api", "--store", &home.store];
    let mut command = Command::new(LEAFID);
    let serving = Serving::spawn(command.args(open).args(["--allow-host", "ids.internal,other"]));
    serving.logs(&["WARN", "everybody who reaches it may use it", "--insecure api"]);
    let url = serving.url.replace("0.0.0.0", "127.0.0.1");
    // Which hosts there are more: `http/rules.rs`; which paths: `listeners.rs`.
    for (host, status) in
        [("192.0.2.7:8750", 200), ("ids.internal:8750", 200), ("OTHER", 200), ("evil.example", 403)]
    {
        assert_eq!(asked(&url, host, "GET", "/v1/tags/orders").0, status, "{host}");
    }
    assert_eq!(asked(&url, "127.0.0.1", "POST", "/v1/segments/orders/ids").0, 400, "no count");
    let changed = asked(&url, "127.0.0.1", "PUT", "/v1/tags/orders");
    assert_eq!(changed, (403, "FORBIDDEN".to_owned()));
}
