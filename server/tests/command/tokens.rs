//! `leafid token`, and a server that asks for tokens.
#![cfg(unix)]

use std::os::unix::fs::PermissionsExt;

use serde_json::{Value, json};

use crate::secured::{Secured, ask, set_mode};
use crate::support::{Serving, agent, early_in_the_day, output, send, until};

/// The status, and the code or nothing, of a request with this token.
fn says(serving: &Serving, token: &str, method: &str, path: &str, body: Value) -> (u16, String) {
    let url = format!("{}{path}", serving.url);
    let (status, _, answer) = ask(&agent(), Some(token), method, &url, &body).unwrap();
    (status, answer["code"].as_str().unwrap_or_default().to_owned())
}

fn ok() -> (u16, String) {
    (200, String::new())
}

fn forbidden() -> (u16, String) {
    (403, "FORBIDDEN".to_owned())
}

fn spent() -> (u16, String) {
    (429, "QUOTA_EXCEEDED".to_owned())
}

fn count(ids: u64) -> Value {
    json!({ "count": ids })
}

#[test]
fn a_token_is_shown_once_and_kept_as_its_hash() {
    let secured = Secured::new();
    let token = secured.token(&["app", "--tag", "orders", "--days", "30"]);
    assert!(token.starts_with("leafid_") && token.len() == 50, "{token}");
    let file = secured.path("tokens.toml");
    let text = std::fs::read_to_string(&file).unwrap();
    assert!(text.contains("[principals.\"app\"]") && !text.contains(&token), "{text}");
    assert_eq!(std::fs::metadata(&file).unwrap().permissions().mode() & 0o777, 0o600);
    let list = |args: &[&str]| {
        let said = output(secured.leafid("token").args(args));
        (said.status.code(), format!("{said:?}"))
    };
    let (code, said) = list(&["list"]);
    assert!(code == Some(0) && said.contains("app tags=orders namespaces= verbs=lease,read"));
    assert!(said.contains("live") && !said.contains(&token), "{said}");

    // A second one replaces the first; a third has to wait until one is revoked.
    let second = secured.token(&["app"]);
    let (code, said) = list(&["create", "app"]);
    assert!(code == Some(1) && said.contains("2 live tokens") && said.contains("--id "), "{said}");
    let (code, said) = list(&["create", "app", "--tag", "x"]);
    assert!(code == Some(1) && said.contains("exists already"), "{said}");
    assert!(!said.contains(&second));
    let id = said_id(&text);
    assert_eq!(list(&["revoke", "app", "--id", &id]).0, Some(0));
    assert_eq!(list(&["revoke", "app", "--id", &id]).0, Some(1));
    assert_eq!(list(&["revoke", "nobody"]).0, Some(1));
    secured.token(&["app"]);
}

fn said_id(text: &str) -> String {
    text.split("id = \"").nth(1).unwrap().split('"').next().unwrap().to_owned()
}

#[test]
fn a_file_that_others_can_use_is_refused_at_start_and_at_a_change() {
    let secured = Secured::new();
    let token = secured.token(&["app"]);
    let file = secured.path("tokens.toml");
    for (mode, good) in [(0o644, false), (0o602, false), (0o620, false), (0o640, true)] {
        set_mode(&file, mode);
        let said = output(secured.leafid("token").arg("list"));
        assert_eq!(said.status.success(), good, "{mode:o}: {said:?}");
    }
    set_mode(&file, 0o644);
    let mut refused = secured.leafid("serve");
    let store = secured.text("store.db");
    let said = output(refused.args(["--listen", "127.0.0.1:0", "--store", &store]));
    let said = String::from_utf8(said.stderr).unwrap();
    assert!(said.contains("REQUEST_INVALID") && said.contains("chmod 600"), "{said}");
    set_mode(&file, 0o600);
    let mut serving = secured.serve(&[]);
    assert_eq!(says(&serving, &token, "GET", "/v1/tags", Value::Null), ok());

    // While it runs, what was known stays, and the log says why.
    secured.write("tokens.toml", "principals = 1");
    set_mode(&file, 0o600);
    serving.logs(&["ERROR", "the tokens stay as they were", "expected a map"]);
    assert_eq!(says(&serving, &token, "GET", "/v1/tags", Value::Null), ok());
    serving.end("-TERM");
    assert!(!serving.log().contains(&token));
}

#[test]
fn a_change_of_the_file_counts_at_once_and_so_does_a_hangup() {
    let secured = Secured::new();
    let first = secured.token(&["app"]);
    let serving = secured.serve(&[]);
    let read = |token: &str| says(&serving, token, "GET", "/v1/tags", Value::Null).0;
    assert_eq!(read(&first), 200);
    let second = secured.token(&["app"]);
    until(|| (read(&second) == 200).then_some(())).expect("the second is known");
    assert_eq!(read(&first), 200, "both are live");
    let revoked = output(secured.leafid("token").args(["revoke", "app"]));
    assert!(revoked.status.success());
    until(|| (read(&first) == 401 && read(&second) == 401).then_some(())).expect("both are gone");

    send(serving.id(), "-HUP");
    serving.logs(&["INFO", "reading tokens and certificates again"]);
    assert_eq!(serving.get("/readyz").0, 200, "a hangup stops nothing");
}

#[test]
fn who_has_no_token_learns_whether_it_is_ready_and_no_more() {
    let secured = Secured::new();
    let app = secured.token(&["app"]);
    let serving = secured.serve(&[]);
    let ready = |token: Option<&str>| {
        let url = format!("{}/readyz", serving.url);
        let (status, _, answer) = ask(&agent(), token, "GET", &url, &Value::Null).unwrap();
        (status, answer)
    };
    let health = |token: Option<&str>| {
        let mut health = secured.leafid("health");
        health.args(["--url", &serving.url]).env_remove("LEAFID_TOKEN");
        let said = output(health.envs(token.map(|token| ("LEAFID_TOKEN", token))));
        (said.status.code(), String::from_utf8_lossy(&said.stdout).into_owned())
    };
    let strangers = [None, Some("leafid_0123456789012345678901234567890123456789012")];
    assert!(ready(Some(&app)).1["store"].is_string());
    for stranger in strangers {
        assert_eq!(ready(stranger), (200, json!({ "status": "ok" })));
        assert!(health(stranger).1.starts_with("ok: "), "{:?}", health(stranger));
    }
    let lost = json!({ "request": "0123456789abcdef0123456789abcdef", "have_until": "5001" });
    assert_eq!(says(&serving, &app, "POST", "/v1/segments/orders/lease", lost).0, 409);
    let stopped = || (ready(Some(&app)).1["went_back"][0]["tag"] == "orders").then_some(());
    until(stopped).expect("its tags are looked at again");
    for stranger in strangers {
        assert_eq!(ready(stranger), (200, json!({ "status": "degraded" })));
    }
    let (code, said) = health(None);
    assert!(code == Some(0) && said.starts_with("degraded: "), "{said}");
    assert!(!said.contains("orders") && health(Some(&app)).1.contains("tag `orders`"), "{said}");

    let file = secured.path("store.db");
    std::fs::rename(&file, secured.path("elsewhere.db")).unwrap();
    until(|| (ready(Some(&app)).0 == 503).then_some(())).expect("its file is gone");
    let place = file.display().to_string();
    assert!(ready(Some(&app)).1["detail"].as_str().unwrap().contains(&place));
    for stranger in strangers {
        let (status, answer) = ready(stranger);
        let detail = answer["detail"].as_str().unwrap();
        assert!(status == 503 && detail.contains("token"), "{answer}");
        assert!(!answer.to_string().contains(&place), "{answer}");
    }
    serving.logs(&["WARN", "not ready", &place]);
}

#[test]
fn a_principal_may_what_its_entry_says() {
    let secured = Secured::new();
    let shop = secured.token(&["shop", "--tag", "shop:*", "--namespace", "edge"]);
    let eye = secured.token(&["eye", "--verb", "read"]);
    let root = secured.token(&["root", "--verb", "admin", "--tag", "shop:*"]);
    let mut serving = secured.serve(&[]);
    let acquire = json!({ "request": "0123456789abcdef0123456789abcdef", "owner": "o" });
    let empty = || json!({});
    for (who, method, path, body, expected) in [
        (&shop, "POST", "/v1/segments/shop:1/ids", count(1), ok()),
        (&shop, "POST", "/v1/segments/shop%3A1/ids", count(1), ok()),
        (&shop, "POST", "/v1/segments/orders/ids", count(1), forbidden()),
        (&shop, "GET", "/v1/tags/shop:1", Value::Null, ok()),
        (&shop, "GET", "/v1/tags/orders", Value::Null, forbidden()),
        (&shop, "GET", "/v1/tags", Value::Null, forbidden()),
        (&shop, "GET", "/v1/namespaces", Value::Null, forbidden()),
        (&shop, "GET", "/v1/decode/1?namespace=default", Value::Null, forbidden()),
        (&shop, "GET", "/v1/decode/1?namespace=edge", Value::Null, ok()),
        (&shop, "POST", "/v1/workers/edge/acquire", acquire.clone(), ok()),
        (&shop, "POST", "/v1/workers/default/acquire", acquire.clone(), forbidden()),
        (&shop, "POST", "/v1/snowflake/default/ids", count(1), forbidden()),
        (&shop, "PUT", "/v1/tags/shop:2", empty(), forbidden()),
        (&shop, "POST", "/v1/workers/edge/0/release", empty(), forbidden()),
        (&eye, "GET", "/v1/tags", Value::Null, ok()),
        (&eye, "POST", "/v1/segments/orders/ids", count(1), forbidden()),
        (&root, "PUT", "/v1/tags/shop:2", empty(), ok()),
        (&root, "PUT", "/v1/tags/other", empty(), forbidden()),
        (&root, "DELETE", "/v1/tags/orders", Value::Null, forbidden()),
        (&root, "POST", "/v1/segments/shop:1/ids", count(1), forbidden()),
    ] {
        assert_eq!(says(&serving, who, method, path, body), expected, "{method} {path}");
    }
    let line = serving.logs(&["audit: create tag `shop:2`"]);
    assert!(line.contains("caller=api/127.0.0.1:") && line.contains("/root before"), "{line}");
    serving.logs(&["WARN", "refused: principal `shop` may not do this", "FORBIDDEN"]);
    serving.end("-TERM");
    let log = serving.log();
    assert!([&shop, &eye, &root].iter().all(|token| !log.contains(token.as_str())), "{log}");
}

#[test]
fn quotas_of_ids_steps_windows_and_worker_numbers() {
    early_in_the_day();
    let secured = Secured::new();
    let limits = "ids_per_day = 250\nmax_step = 60\nmax_window = \"30s\"\nworkers = 2\n";
    let app = secured.limited("app", limits);
    let serving = secured.serve(&[]);
    let agent = agent();
    let post = |path: &str, body: Value| {
        ask(&agent, Some(&app), "POST", &format!("{}{path}", serving.url), &body).unwrap()
    };
    let key = |n: u32| format!("{n:032x}");
    let lease = |n: u32, more: Value| {
        let mut body = json!({ "request": key(n) });
        body.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        post("/v1/segments/orders/lease", body)
    };
    let size = |answer: &Value| {
        let end = |field: &str| answer[field].as_str().unwrap().parse::<u64>().unwrap();
        end("end") - end("start")
    };
    // The tag's own step is 100, and larger ones are asked for: 60 is what it may have.
    let (status, _, answer) = lease(1, json!({}));
    assert_eq!((status, size(&answer), &answer["max_step"]), (200, 60, &json!(60)), "{answer}");
    let (status, _, answer) = lease(2, json!({ "step": 5_000, "at_least": 700 }));
    assert_eq!((status, size(&answer)), (200, 60), "{answer}");
    let (status, _, answer) = lease(3, json!({ "exactly": 61 }));
    assert_eq!((status, &answer["code"]), (403, &json!("FORBIDDEN")), "{answer}");
    // 120 of 250 are used.
    assert_eq!(post("/v1/segments/orders/ids", count(100)).0, 200);
    let (status, headers, answer) = post("/v1/segments/orders/ids", count(31));
    assert_eq!((status, &answer["code"]), (429, &json!("QUOTA_EXCEEDED")), "{answer}");
    assert!(headers.contains_key("retry-after") && answer["quota"] == "250", "{answer}");
    assert_eq!(post("/v1/segments/orders/ids", count(0)).0, 400);
    assert_eq!(post("/v1/snowflake/edge/ids", count(30)).0, 200, "what was refused is not counted");
    assert_eq!(lease(4, json!({ "exactly": 1 })).0, 429);

    let acquire = |n: u32| {
        let body = json!({ "request": key(n), "owner": "o", "length_ms": 600_000 });
        post("/v1/workers/edge/acquire", body)
    };
    let (status, _, one) = acquire(11);
    assert_eq!(status, 200, "{one}");
    let ms = |answer: &Value| size(answer) * answer["layout"]["tick_ms"].as_u64().unwrap();
    assert!(ms(&one) <= 30_100, "{one}");
    assert_eq!(acquire(12).0, 200);
    assert_eq!(acquire(12).0, 200, "the same again");
    let (status, _, answer) = acquire(13);
    assert_eq!((status, &answer["code"]), (429, &json!("QUOTA_EXCEEDED")), "{answer}");
    let release = json!({ "store": one["store"], "worker": one["worker"], "key": key(11),
                          "unused_from": one["start"] });
    assert_eq!(post("/v1/workers/edge/release", release).0, 200);
    until(|| (acquire(14).0 == 200).then_some(()))
        .expect("a number that was given back counts no more");
    assert_eq!(says(&serving, &app, "GET", "/v1/tags", Value::Null), ok());
    assert_eq!(says(&serving, &app, "POST", "/v1/segments/orders/ids", count(1)), spent());
}

#[test]
fn verbs_of_the_command_line_show_a_token() {
    let secured = Secured::new();
    let token = secured.token(&["ops", "--verb", "admin", "--verb", "read"]);
    let serving = secured.serve(&[]);
    let create = |name: &str, env: &[(&str, &str)]| {
        let mut command = secured.leafid("tag");
        command.args(["create", name, "--url", &serving.url]).envs(env.iter().copied());
        let said = output(&mut command);
        (said.status.code(), String::from_utf8(said.stderr).unwrap())
    };
    let (code, said) = create("a", &[]);
    assert!(code == Some(1) && said.contains("UNAUTHORIZED"), "{said}");
    assert_eq!(create("a", &[("LEAFID_TOKEN", &token)]).0, Some(0));
    secured.write("token", &format!("{token}\n"));
    assert_eq!(create("b", &[("LEAFID_TOKEN_FILE", &secured.text("token"))]).0, Some(0));
    let (code, said) = create("c", &[("LEAFID_TOKEN", "two words")]);
    assert!(
        code == Some(1) && said.contains("LEAFID_TOKEN") && !said.contains("two words"),
        "{said}"
    );
    let health = output(secured.leafid("health").args(["--url", &serving.url]));
    assert!(health.status.success(), "a probe needs no token: {health:?}");
}
