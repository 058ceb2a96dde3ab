//! `leafid token`, and a server that requires tokens.

use serde_json::{Value, json};

use crate::secured::Secured;
use crate::support::{
    Serving, agent, ask, does, early_in_the_day, has, mode, number, output, refusal, refused, send,
    served, set_mode, until,
};

fn says(serving: &Serving, token: &str, method: &str, path: &str, body: Value) -> String {
    let url = format!("{}{path}", serving.url);
    let (status, _, answer) = ask(&agent(), Some(token), method, &url, &body).unwrap();
    let code = answer["code"].as_str().unwrap_or_default();
    format!("{status} {code}").trim_end().to_owned()
}

const OK: &str = "200";
const GONE: &str = "401 UNAUTHORIZED";
const FORBIDDEN: &str = "403 FORBIDDEN";
const SPENT: &str = "429 QUOTA_EXCEEDED";

fn count(ids: u64) -> Value {
    json!({ "count": ids })
}

#[test]
fn a_token_is_shown_once_and_kept_as_its_hash() {
    let secured = Secured::new();
    let token = secured.token(&["app", "--tag", "orders", "--days", "30"]);
    assert!(token.starts_with("leafid_") && token.len() == 50, "{token}");
    let file = secured.at("tokens.toml");
    let text = std::fs::read_to_string(&file).unwrap();
    assert!(text.contains("[principals.\"app\"]") && !text.contains(&token), "{text}");
    assert_eq!(mode(&file), 0o600);
    let fails = |args: &[&str]| refused(secured.leafid("token").args(args), 1);
    let said = does(secured.leafid("token").arg("list"));
    has(&said, &["app tags=orders namespaces= verbs=lease,read", "live"]);
    assert!(!said.contains(&token), "{said}");

    // A second token may replace the first; a third is refused until one is revoked.
    let second = secured.token(&["app"]);
    has(&fails(&["create", "app"]), &["2 live tokens", "--id "]);
    let said = fails(&["create", "app", "--tag", "x"]);
    assert!(said.contains("exists already") && !said.contains(&second), "{said}");
    let id = text.split("id = \"").nth(1).unwrap().split('"').next().unwrap();
    let revoke = ["revoke", "app", "--id", id];
    does(secured.leafid("token").args(revoke));
    fails(&revoke);
    fails(&["revoke", "nobody"]);
    secured.token(&["app"]);
}

#[test]
fn a_file_that_others_can_use_is_refused_at_start_and_at_a_change() {
    let secured = Secured::new();
    let token = secured.token(&["app"]);
    let file = secured.at("tokens.toml");
    for (mode, good) in [(0o644, false), (0o602, false), (0o620, false), (0o640, true)] {
        set_mode(&file, mode);
        let said = output(secured.leafid("token").arg("list"));
        assert_eq!(said.status.success(), good, "{mode:o}: {said:?}");
    }
    set_mode(&file, 0o644);
    let mut serve = secured.leafid("serve");
    serve.args(["--listen", "127.0.0.1:0", "--store", &secured.store]);
    has(&refused(&mut serve, 1), &["REQUEST_INVALID", "chmod 600"]);
    set_mode(&file, 0o600);
    let mut serving = secured.serve(&[]);
    assert_eq!(says(&serving, &token, "GET", "/v1/tags", Value::Null), OK);

    // A running server keeps the tokens that it knew, and logs why.
    secured.write("tokens.toml", "principals = 1");
    set_mode(&file, 0o600);
    serving.logs(&["ERROR", "the tokens stay as they were", "expected a map"]);
    assert_eq!(says(&serving, &token, "GET", "/v1/tags", Value::Null), OK);
    serving.end("-TERM");
    assert!(!serving.log().contains(&token));
}

#[test]
fn a_change_of_the_file_counts_at_once_and_so_does_a_hangup() {
    let secured = Secured::new();
    let first = secured.token(&["app"]);
    let serving = secured.serve(&[]);
    let read = |token: &str| says(&serving, token, "GET", "/v1/tags", Value::Null);
    assert_eq!(read(&first), OK);
    let second = secured.token(&["app"]);
    until(|| (read(&second) == OK).then_some(())).expect("the second is known");
    assert_eq!(read(&first), OK, "both are live");
    does(secured.leafid("token").args(["revoke", "app"]));
    until(|| ([&first, &second].iter().all(|token| read(token) == GONE)).then_some(()))
        .expect("both are gone");

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
        does(health.envs(token.map(|token| ("LEAFID_TOKEN", token))))
    };
    let strangers = [None, Some("leafid_0123456789012345678901234567890123456789012")];
    assert!(ready(Some(&app)).1["store"].is_string());
    for stranger in strangers {
        assert_eq!(ready(stranger), (200, json!({ "status": "ok" })));
        assert!(health(stranger).starts_with("ok: "), "{}", health(stranger));
    }
    let lost = json!({ "request": "0123456789abcdef0123456789abcdef", "have_until": "5001" });
    assert_eq!(
        says(&serving, &app, "POST", "/v1/segments/orders/lease", lost),
        "409 STORE_WENT_BACK"
    );
    let stopped = || (ready(Some(&app)).1["went_back"][0]["tag"] == "orders").then_some(());
    until(stopped).expect("its tags are looked at again");
    for stranger in strangers {
        assert_eq!(ready(stranger), (200, json!({ "status": "degraded" })));
    }
    let said = health(None);
    assert!(said.starts_with("degraded: ") && !said.contains("orders"), "{said}");
    let told = "tag `orders`, which stands at 1 where a holder has numbers up to 5001";
    has(&health(Some(&app)), &["degraded: ", told]);

    let place = &secured.store;
    std::fs::rename(place, secured.at("elsewhere.db")).unwrap();
    until(|| (ready(Some(&app)).0 == 503).then_some(())).expect("its file is gone");
    has(ready(Some(&app)).1["detail"].as_str().unwrap(), &[place]);
    for stranger in strangers {
        let (status, answer) = ready(stranger);
        let detail = answer["detail"].as_str().unwrap();
        assert!(status == 503 && detail.contains("token"), "{answer}");
        assert!(!answer.to_string().contains(place), "{answer}");
    }
    serving.logs(&["WARN", "not ready", place]);
}

#[test]
fn a_principal_may_what_its_entry_says() {
    let secured = Secured::new();
    let shop = secured.token(&["shop", "--tag", "shop:*", "--namespace", "edge"]);
    let eye = secured.token(&["eye", "--verb", "read"]);
    let root = secured.token(&["root", "--verb", "admin", "--tag", "shop:*"]);
    let whole = secured.token(&["whole", "--verb", "admin"]);
    let mut serving = secured.serve(&[]);
    let acquire = json!({ "request": "0123456789abcdef0123456789abcdef", "owner": "o" });
    let empty = || json!({});
    for (who, method, path, body, expected) in [
        (&shop, "POST", "/v1/segments/shop:1/ids", count(1), OK),
        (&shop, "POST", "/v1/segments/shop%3A1/ids", count(1), OK),
        (&shop, "POST", "/v1/segments/orders/ids", count(1), FORBIDDEN),
        (&shop, "GET", "/v1/tags/shop:1", Value::Null, OK),
        (&shop, "GET", "/v1/tags/orders", Value::Null, FORBIDDEN),
        (&shop, "GET", "/v1/tags", Value::Null, FORBIDDEN),
        (&shop, "GET", "/v1/namespaces", Value::Null, FORBIDDEN),
        (&shop, "GET", "/v1/decode/1?namespace=default", Value::Null, FORBIDDEN),
        (&shop, "GET", "/v1/decode/1?namespace=edge", Value::Null, OK),
        (&shop, "POST", "/v1/workers/edge/acquire", acquire.clone(), OK),
        (&shop, "POST", "/v1/workers/default/acquire", acquire.clone(), FORBIDDEN),
        (&shop, "POST", "/v1/snowflake/default/ids", count(1), FORBIDDEN),
        (&shop, "PUT", "/v1/tags/shop:2", empty(), FORBIDDEN),
        (&shop, "POST", "/v1/workers/edge/0/release", empty(), FORBIDDEN),
        (&eye, "GET", "/v1/tags", Value::Null, OK),
        (&eye, "POST", "/v1/segments/orders/ids", count(1), FORBIDDEN),
        (&root, "PUT", "/v1/tags/shop:2", empty(), OK),
        (&root, "PUT", "/v1/tags/other", empty(), FORBIDDEN),
        (&root, "DELETE", "/v1/tags/orders", Value::Null, FORBIDDEN),
        (&root, "POST", "/v1/segments/shop:1/ids", count(1), FORBIDDEN),
        // A server has grants of all tags.
        (&root, "GET", "/v1/servers", Value::Null, FORBIDDEN),
        (&root, "DELETE", "/v1/servers/a", Value::Null, FORBIDDEN),
        (&eye, "GET", "/v1/servers", Value::Null, FORBIDDEN),
        (&whole, "GET", "/v1/servers", Value::Null, OK),
    ] {
        assert_eq!(says(&serving, who, method, path, body), expected, "{method} {path}");
    }
    has(&serving.logs(&["audit: create tag `shop:2`"]), &["caller=api/127.0.0.1:", "/root before"]);
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
    let asked = |path: &str, body: &Value| {
        ask(&agent, Some(&app), "POST", &format!("{}{path}", serving.url), body).unwrap()
    };
    let post = |path: &str, body: Value| {
        let (status, _, answer) = asked(path, &body);
        (status, answer)
    };
    let key = |n: u32| format!("{n:032x}");
    let lease = |n: u32, mut body: Value| {
        body["request"] = key(n).into();
        post("/v1/segments/orders/lease", body)
    };
    let size = |grant: &Value| number(&grant["end"]) - number(&grant["start"]);
    // The tag's step is 100 and the request asks for more: the principal's limit of 60 applies.
    let grant = served(lease(1, json!({})));
    assert_eq!((size(&grant), &grant["max_step"]), (60, &json!(60)), "{grant}");
    assert_eq!(size(&served(lease(2, json!({ "step": 5_000, "at_least": 700 })))), 60);
    refusal(lease(3, json!({ "exactly": 61 })), 403, "FORBIDDEN");
    // 120 of the 250 IDs are used.
    served(post("/v1/segments/orders/ids", count(100)));
    let (status, headers, answer) = asked("/v1/segments/orders/ids", &count(31));
    let answer = refusal((status, answer), 429, "QUOTA_EXCEEDED");
    assert!(headers.contains_key("retry-after") && answer["quota"] == "250", "{answer}");
    assert_eq!(post("/v1/segments/orders/ids", count(0)).0, 400);
    // Refused requests do not count against the quota.
    served(post("/v1/snowflake/edge/ids", count(30)));
    assert_eq!(lease(4, json!({ "exactly": 1 })).0, 429);

    let acquire = |n: u32| {
        let body = json!({ "request": key(n), "owner": "o", "length_ms": 600_000 });
        post("/v1/workers/edge/acquire", body)
    };
    let one = served(acquire(11));
    assert!(size(&one) * one["layout"]["tick_ms"].as_u64().unwrap() <= 30_100, "{one}");
    served(acquire(12));
    // The same again.
    served(acquire(12));
    refusal(acquire(13), 429, "QUOTA_EXCEEDED");
    let release = json!({ "store": one["store"], "worker": one["worker"], "key": key(11),
                          "unused_from": one["start"] });
    served(post("/v1/workers/edge/release", release));
    until(|| (acquire(14).0 == 200).then_some(()))
        .expect("a number that was given back counts no more");
    assert_eq!(says(&serving, &app, "GET", "/v1/tags", Value::Null), OK);
    assert_eq!(says(&serving, &app, "POST", "/v1/segments/orders/ids", count(1)), SPENT);
}

#[test]
fn verbs_of_the_command_line_show_a_token() {
    let secured = Secured::new();
    let token = secured.token(&["ops", "--verb", "admin", "--verb", "read"]);
    let serving = secured.serve(&[]);
    let create = |name: &str| {
        let mut command = secured.leafid("tag");
        command.args(["create", name, "--url", &serving.url]);
        command
    };
    has(&refused(&mut create("a"), 1), &["UNAUTHORIZED"]);
    does(create("a").env("LEAFID_TOKEN", &token));
    secured.write("token", &format!("{token}\n"));
    does(create("b").env("LEAFID_TOKEN_FILE", secured.at("token")));
    let said = refused(create("c").env("LEAFID_TOKEN", "two words"), 1);
    assert!(said.contains("LEAFID_TOKEN") && !said.contains("two words"), "{said}");
    // A probe needs no token.
    does(secured.leafid("health").args(["--url", &serving.url]));
}
