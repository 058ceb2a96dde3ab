//! Admission at Leaf's listener, by address: Leaf's clients can send no token.

use crate::client::Running;
use crate::support::{Home, agent, fails, has, says};

fn start(home: &Home, options: &[&str]) -> Running {
    says(&home.store, &["tag", "create", "orders", "--if-missing"]);
    Running::start(&[&["--store", &home.store][..], options].concat())
}

fn refused(running: &Running, code: &str) -> u64 {
    let url = format!("{}/metrics", running.serving.url);
    let text = agent().get(url).call().unwrap().body_mut().read_to_string().unwrap();
    let name = format!("leafid_http_problems_total{{code=\"{code}\"}} ");
    let count = text.lines().find_map(|line| line.strip_prefix(&name));
    count.unwrap_or_else(|| panic!("no {name}")).parse().unwrap()
}

#[test]
fn an_address_outside_the_ranges_gets_nothing() {
    let home = Home::with_store();
    for good in ["127.0.0.0/8", "10.0.0.0/8,127.0.0.1", "0.0.0.0/0"] {
        let mut running = start(&home, &["--leaf-allow", good]);
        assert!(running.number("/api/segment/get/orders") > 0, "{good}");
    }
    let mut running = start(&home, &["--leaf-allow", "10.0.0.0/8", "--leaf-allow", "::1"]);
    let paths = [
        ("GET", "/api/segment/get/orders"),
        ("POST", "/api/segment/get/orders"),
        ("HEAD", "/api/segment/get/orders"),
        ("GET", "/api/snowflake/get/x"),
        ("GET", "/cache"),
        ("GET", "/db"),
        ("GET", "/decodeSnowflakeId?snowflakeId=1"),
        ("GET", "/nowhere"),
    ];
    for (method, path) in paths {
        let answer = running.call(method, path, &[]);
        assert_eq!(answer.status, 403, "{method} {path}: {}", answer.body);
        assert!(
            method == "HEAD" || answer.body.contains("address `127.0.0.1` is not"),
            "{answer:?}"
        );
    }
    // Forwarding headers are ignored: only the connection's address counts.
    for header in ["X-Forwarded-For", "Forwarded", "X-Real-IP"] {
        let value = if header == "Forwarded" { "for=10.1.2.3" } else { "10.1.2.3" };
        let answer = running.call("GET", "/api/segment/get/orders", &[(header, value)]);
        assert_eq!(answer.status, 403, "{header}");
    }
    assert_eq!(refused(&running, "FORBIDDEN"), paths.len() as u64 + 3);
    let line = running.serving.logs(&["WARN", "refused: address `127.0.0.1`", "FORBIDDEN"]);
    assert!(line.contains("caller=leaf/127.0.0.1:") && line.contains("/api/segment/"), "{line}");
    // The ranges apply to that listener alone.
    assert_eq!(running.serving.get("/v1/tags/orders").0, 200);
}

#[test]
fn what_cannot_be_meant_is_told_at_the_start() {
    let home = Home::new();
    let serve = ["serve", "--create", "--listen", "127.0.0.1:0"];
    for (options, code, says) in [
        (&["--leaf-allow", "10.0.0.0/8"][..], 1, "--leaf-allow is about the listener of Leaf's"),
        (&["--listen-leaf", "127.0.0.1:0", "--leaf-allow", "10.1.2.3/8"], 2, "use 10.0.0.0/8"),
        // Ranges alone do not permit listening beyond loopback.
        (
            &["--listen-leaf", "0.0.0.0:0", "--leaf-allow", "10.0.0.0/8"],
            1,
            "--insecure leaf --leaf-allow",
        ),
    ] {
        has(&fails(&home.store, &[&serve[..], options].concat(), code), &[says]);
        assert_eq!(home.files(), 0, "nothing was begun");
    }
    let open = ["--listen-leaf", "0.0.0.0:0", "--insecure", "leaf", "--leaf-allow", "127.0.0.0/8"];
    let home = Home::with_store();
    let mut running = start(&home, &open);
    running.serving.logs(&["WARN", "its address alone tells who asks", "--insecure leaf"]);
    assert!(running.number("/api/segment/get/orders") > 0);
}
