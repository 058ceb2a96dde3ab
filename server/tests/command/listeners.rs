//! A server with a separate listener for operators, and the log lines that name who changed what.

use serde_json::{Value, json};

use crate::support::{
    Home, Serving, agent, call, fails, hangs_up, has, leafid, message, refusal, says,
};

fn two(home: &Home) -> (Serving, String) {
    let mut command = home.command(&[]);
    let serving = Serving::spawn(command.env("LEAFID_LISTEN_ADMIN", "127.0.0.1:0"));
    let told =
        serving.first.lines().find_map(|line| line.strip_prefix("leafid: changes are made at "));
    let admin = told.unwrap_or_else(|| panic!("no second address: {}", serving.first)).to_owned();
    assert_ne!(admin, serving.url);
    (serving, admin)
}

#[test]
fn changes_are_made_at_the_admin_listener_alone() {
    let home = Home::new();
    let (mut serving, admin) = two(&home);
    let main = serving.url.clone();
    let addresses = [main.as_str(), &admin].map(|url| url.strip_prefix("http://").unwrap());
    serving.logs(&["INFO started", addresses[0], addresses[1], "admin"]);

    let acquire = json!({ "request": "0123456789abcdef0123456789abcdef", "owner": "o" });
    let count = json!({ "count": 1 });
    // Each path is served at one of the listeners and refused at the other.
    for (at_admin, method, path, body) in [
        (true, "PUT", "/v1/tags/orders", &json!({})),
        (false, "POST", "/v1/segments/orders/ids", &count),
        (true, "PUT", "/v1/namespaces/edge", &json!({ "layout": "edge" })),
        (false, "POST", "/v1/workers/edge/acquire", &acquire),
        (true, "POST", "/v1/workers/edge/0/release", &json!({})),
        (false, "POST", "/v1/snowflake/edge/ids", &count),
        (true, "POST", "/v1/tags/orders/advance", &json!({ "to": "5000" })),
        (true, "DELETE", "/v1/tags/orders", &Value::Null),
    ] {
        let (right, wrong) = if at_admin { (&admin, &main) } else { (&main, &admin) };
        let (status, refused) = call(wrong, method, path, body);
        assert_eq!((status, &refused["code"]), (403, &json!("FORBIDDEN")), "{method} {path}");
        let detail = refused["detail"].as_str().unwrap();
        assert!(detail.contains(right.as_str()) && detail.contains(path), "{detail}");
        let (status, answer) = call(right, method, path, body);
        assert_eq!(status, 200, "{method} {path}: {answer}");
    }
    for url in [&main, &admin] {
        let paths = "/healthz /readyz /openapi.json /v1/tags /v1/namespaces/edge /v1/workers/edge";
        for path in paths.split(' ') {
            assert_eq!(call(url, "GET", path, &Value::Null).0, 200, "{url}{path}");
        }
        assert_eq!(call(url, "GET", "/v1/segments/orders/ids", &Value::Null).0, 405);
    }

    for path in
        ["/metrics", "/v1/overview", "/v1/namespaces/default/numbers", "/", "/dashboard/main.js"]
    {
        let refused = refusal(serving.get(path), 403, "FORBIDDEN");
        has(refused["detail"].as_str().unwrap(), &[&admin]);
        assert_eq!(agent().get(format!("{admin}{path}")).call().unwrap().status(), 200, "{path}");
    }

    has(&fails(&main, &["tag", "create", "other"], 1), &["FORBIDDEN", &admin]);
    says(&admin, &["tag", "create", "other"]);
    assert!(says(&main, &["tag", "list"]).contains("other"));
    assert_eq!(serving.end("-TERM").0, Some(0));
}

#[test]
fn a_change_has_a_line_that_says_who_made_it_and_what_was_before() {
    const KEY: &str = "00112233445566778899aabbccddeeff";
    let home = Home::new();
    let (mut serving, admin) = two(&home);
    let put = |path: &str, body| call(&admin, "PUT", path, &body).1;
    let audit = |words: &[&str]| {
        let line = serving.logs(words);
        has(&line, &[" INFO request{request_id=", "audit: ", "caller=admin/127.0.0.1:"]);
        line
    };
    put("/v1/tags/orders", json!({ "step": 5 }));
    let after = "before=none after={\"tag\":\"orders\",\"max_id\":\"1\",\"step\":5";
    audit(&["audit: create tag `orders`", after]);
    put("/v1/tags/orders", json!({ "step": 6 }));
    let line = audit(&["audit: change tag `orders`"]);
    let (before, after) = line.split_once("before=").unwrap().1.split_once(" after=").unwrap();
    assert!(before.contains("\"step\":5") && after.contains("\"step\":6"), "{line}");
    put("/v1/namespaces/edge", json!({ "layout": "edge" }));
    audit(&["audit: create namespace `edge`", "before=none", "\"worker_bits\":16"]);

    let ask = json!({ "request": KEY, "owner": "host-7" });
    assert_eq!(call(&serving.url, "POST", "/v1/workers/edge/acquire", &ask).0, 200);
    call(&admin, "POST", "/v1/workers/edge/0/release", &json!({}));
    audit(&[
        "audit: release worker 0 of namespace `edge`",
        "\"held\":true",
        "\"owner\":\"host-7\"",
    ]);
    call(&admin, "POST", "/v1/tags/orders/advance", &json!({ "to": "777" }));
    audit(&["audit: advance tag `orders`", "\"max_id\":\"1\"", "\"max_id\":\"777\""]);
    call(&admin, "DELETE", "/v1/tags/orders", &Value::Null);
    audit(&["audit: delete tag `orders`", "\"step\":6", "after=done"]);

    // Refused requests and those that change nothing have no log line.
    put("/v1/tags/a%20b", json!({}));
    put("/v1/tags/b", json!({ "step": 0 }));
    call(&serving.url, "POST", "/v1/segments/b/ids", &json!({ "count": 1 }));
    call(&admin, "GET", "/v1/tags", &Value::Null);
    serving.end("-TERM");
    let log = serving.log();
    assert_eq!(log.matches("audit: ").count(), 6, "{log}");
    assert!(!log.contains(KEY), "{log}");

    // A verb that works on the file itself logs no caller.
    let verb = |more: &[&str]| {
        let output = leafid(&home.store, &[&["tag", "create"], more].concat());
        String::from_utf8(output.stderr).unwrap()
    };
    assert_eq!(verb(&["quiet"]), "");
    has(&verb(&["loud", "--log", "info"]), &["audit: create tag `loud`", "caller=command "]);
}

/// A change is completed and logged even if its caller has hung up.
#[test]
fn a_change_whose_caller_hung_up_has_its_line_too() {
    let home = Home::new();
    let (mut serving, admin) = two(&home);
    let host = admin.strip_prefix("http://").unwrap();
    // A caller that hangs up too late, on a slow machine, asks for another tag.
    let hung_up = |tag: &String| {
        let put = message(
            &format!("PUT /v1/tags/{tag}"),
            &[("content-type", "application/json"), ("host", host)],
            "{}",
        );
        hangs_up(host, home.store.as_ref(), &put)
    };
    let tag = (0..20).map(|turn| format!("orders{turn}")).find(hung_up).expect("it is noticed");
    serving.logs(&[&format!("audit: create tag `{tag}`"), "caller=admin/127.0.0.1:"]);
    let made = format!("/v1/tags/{tag}");
    assert_eq!(call(&serving.url, "GET", &made, &Value::Null).0, 200);
    serving.end("-TERM");
}
