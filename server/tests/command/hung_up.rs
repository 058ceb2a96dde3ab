//! A principal that hangs up before the answer is granted its request all the same, and its quota counts it.

use std::io::Write;
use std::net::TcpStream;
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::secured::Secured;
use crate::support::{Serving, agent, ask, early_in_the_day, until};

/// More requests than the principal's limits allow.
const ASKS: u32 = 100;
/// The wait before the caller hangs up: the store works on the request by then.
const WAIT: Duration = Duration::from_micros(500);
const IDS: u64 = 25;
const WORKERS: usize = 2;

/// Sends a request, and hangs up while the server works on it.
fn hangs_up(serving: &Serving, token: &str, path: &str, body: &Value) {
    let address = serving.url.strip_prefix("http://").expect("an address");
    let mut stream = TcpStream::connect(address).expect("a connection");
    let body = body.to_string();
    let request = format!(
        "POST {path} HTTP/1.1\r\nHost: {address}\r\nAuthorization: Bearer {token}\r\n\
         Content-Type: application/json\r\nContent-Length: {}\r\n\r\n{body}",
        body.len()
    );
    stream.write_all(request.as_bytes()).expect("it is sent");
    let until = Instant::now() + WAIT;
    while Instant::now() < until {
        std::hint::spin_loop();
    }
}

#[test]
fn what_nobody_waits_for_any_more_counts() {
    early_in_the_day();
    let secured = Secured::new();
    let shop = secured.limited("shop", &format!("ids_per_day = {IDS}\nworkers = {WORKERS}\n"));
    let eye = secured.token(&["eye", "--verb", "read", "--verb", "metrics"]);
    let serving = secured.serve(&[]);
    let agent = agent();
    let read = |path: &str| {
        ask(&agent, Some(&eye), "GET", &format!("{}{path}", serving.url), &Value::Null).unwrap().2
    };
    let mut asked = 0;
    let mut asks = || {
        asked += 1;
        let request = format!("{asked:032x}");
        let lease = json!({ "request": request, "step": 5 });
        hangs_up(&serving, &shop, "/v1/segments/orders/lease", &lease);
        let acquire = json!({ "request": request, "owner": "o", "length_ms": 60_000 });
        hangs_up(&serving, &shop, "/v1/workers/edge/acquire", &acquire);
    };
    let leased = || {
        let asked = agent.get(format!("{}/metrics", serving.url));
        let mut answer = asked.header("Authorization", format!("Bearer {eye}")).call().unwrap();
        let counted = answer.body_mut().read_to_string().unwrap();
        let found = counted.lines().find(|line| line.starts_with("leafid_leased_ids_total{"));
        found.map_or(0, |line| line.rsplit(' ').next().unwrap().parse::<u64>().unwrap())
    };
    let held = || read("/v1/workers/edge")["workers"].as_array().unwrap().len();
    // The control: all that its limits allow is granted.
    let all = until(|| {
        asks();
        (leased() >= IDS && held() >= WORKERS).then_some(())
    });
    assert!(all.is_some(), "{} IDs leased, {} numbers held", leased(), held());
    // And no more, however often it asks.
    (0..ASKS).for_each(|_| asks());
    let key = "f".repeat(32);
    for (path, body) in [
        ("/v1/segments/orders/lease", json!({ "request": key, "step": 5 })),
        ("/v1/workers/edge/acquire", json!({ "request": key, "owner": "o" })),
    ] {
        let url = format!("{}{path}", serving.url);
        let (status, _, answer) = ask(&agent, Some(&shop), "POST", &url, &body).unwrap();
        assert_eq!((status, &answer["code"]), (429, &json!("QUOTA_EXCEEDED")), "{answer}");
    }
    assert_eq!((leased(), held()), (IDS, WORKERS));
}
