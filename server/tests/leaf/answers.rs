//! Leaf's answers, byte for byte.

use crate::client::Running;
use crate::support::{Answer, Home, has, says};

/// A server with four tags, in a time zone of UTC+8, without a time zone database.
fn running(home: &Home) -> Running {
    says(&home.store, &["init"]);
    for tag in ["orders", "a.b", "a", "fresh"] {
        says(&home.store, &["tag", "create", tag, "--step", "2000"]);
    }
    Running::spawn(home.command(&["--listen-leaf", "127.0.0.1:0"]).env("TZ", "CST-8"))
}

/// The body without its timestamp.
fn timeless(answer: &Answer) -> String {
    let (before, rest) = answer.body.split_once("\"timestamp\":").expect("a time");
    let end = rest.find(|c: char| !c.is_ascii_digit()).expect("more");
    assert_eq!(end, 13, "ms since 1970: {rest}");
    format!("{before}\"timestamp\":0{}", &rest[end..])
}

#[test]
fn an_id_is_a_number_without_anything_around_it() {
    let home = Home::new();
    let mut leaf = running(&home);
    for (n, method) in ["GET", "POST", "DELETE"].into_iter().enumerate() {
        let answer = leaf.call(method, "/api/segment/get/orders", &[]);
        assert_eq!((answer.status, answer.body.clone()), (200, (n + 1).to_string()), "{method}");
        assert_eq!(leaf.client.connections, 1, "a body is read, and the connection goes on");
        // A status line, three headers, and an empty line.
        assert!(answer.headers.lines().count() == 5 && answer.header("date").is_some());
        assert_eq!(answer.header("content-type"), Some("text/plain;charset=UTF-8"));
        assert_eq!(answer.header("content-length"), Some("1"));
    }
    for _ in 0..3 {
        let answer = leaf.call("HEAD", "/api/segment/get/orders", &[]);
        assert_eq!((answer.status, answer.body.as_str()), (200, ""));
        assert_eq!(leaf.call("HEAD", "/api/snowflake/get/x", &[]).status, 200);
    }
    assert_eq!(leaf.call("HEAD", "/api/segment/get/nope", &[]).status, 500);
    assert_eq!(leaf.get("/api/segment/get/orders"), "4");
    let accept = [("Accept", "text/html,application/xml;q=0.9,*/*;q=0.8")];
    let answer = leaf.call("GET", "/api/segment/get/orders", &accept);
    assert_eq!(answer.header("content-type"), Some("text/html;charset=UTF-8"));
    assert_eq!(answer.body, "5");
    let answer = leaf.call("PUT", "/api/segment/get/orders", &[]);
    assert_eq!(answer.status, 405);
    // The connection is kept, also after the hundredth request.
    let before = leaf.client.connections;
    for n in 6..250 {
        assert_eq!(leaf.number("/api/segment/get/orders"), n);
    }
    assert_eq!(leaf.client.connections, before);
    // Snowflakes rise, and the key does not matter.
    let mut last = 0;
    for key in ["x", "y", "a.b"] {
        let id = leaf.number(&format!("/api/snowflake/get/{key}"));
        assert!(id > last);
        last = id;
    }
}

#[test]
fn a_path_is_read_as_leaf_reads_it_but_for_the_dot() {
    let home = Home::new();
    let mut leaf = running(&home);
    for (path, number) in [("a.b", 1), ("a%2Eb/", 2), ("a", 1)] {
        assert_eq!(leaf.number(&format!("/api/segment/get/{path}")), number, "{path}");
    }
    let slash = leaf.call("GET", "/api/segment/get/a%2Fb", &[]);
    assert_eq!((slash.status, slash.body.as_str()), (400, ""));
    let answer = leaf.call("GET", "/v1/tags", &[]);
    let body = "{\"timestamp\":0,\"status\":404,\"error\":\"Not Found\",\
                \"message\":\"No message available\",\"path\":\"/v1/tags\"}";
    assert_eq!((answer.status, timeless(&answer).as_str()), (404, body));
    assert_eq!(answer.header("content-type"), Some("application/json;charset=UTF-8"));
}

#[test]
fn an_unknown_key_is_an_error_of_leafs() {
    let home = Home::new();
    let mut leaf = running(&home);
    for path in ["/api/segment/get/nope", "/api/segment/get/no%20pe"] {
        let answer = leaf.call("GET", path, &[]);
        let body = format!(
            "{{\"timestamp\":0,\"status\":500,\"error\":\"Internal Server Error\",\
             \"exception\":\"com.sankuai.inf.leaf.server.exception.LeafServerException\",\
             \"message\":\"Result{{id=-2, status=EXCEPTION}}\",\"path\":\"{path}\"}}"
        );
        assert_eq!((answer.status, timeless(&answer)), (500, body));
        assert_eq!(answer.header("content-type"), Some("application/json;charset=UTF-8"));
        assert_eq!(answer.header("connection"), Some("close"));
    }
    // A page of another site, or one that uses DNS rebinding to this machine.
    for header in [
        ("host", "evil.example"),
        ("origin", "http://evil.example"),
        ("sec-fetch-site", "cross-site"),
    ] {
        let answer = leaf.call("GET", "/api/segment/get/orders", &[header]);
        assert_eq!(answer.status, 403, "{header:?}: {}", answer.body);
    }
    assert_eq!(leaf.get("/api/segment/get/orders"), "1", "they burnt nothing");
}

#[test]
fn pages_show_what_leafs_show() {
    let home = Home::new();
    let mut leaf = running(&home);
    for n in 1..=11 {
        assert_eq!(leaf.number("/api/segment/get/fresh"), n);
    }
    let cells = |values: &[&str]| -> String {
        values.iter().map(|value| format!("<td>{value}</td>")).collect()
    };
    let cache = leaf.get("/cache");
    let heads: String = "name init next pos value0 max0 step0 value1 max1 step1"
        .split(' ')
        .map(|head| format!("<th>{head}</th>"))
        .collect();
    assert!(cache.contains(&heads), "{cache}");
    let of_fresh = ["fresh", "true", "false", "0", "12", "2,001", "2,000", "0", "0", "0"];
    assert!(cache.contains(&cells(&of_fresh)), "{cache}");
    let unused = ["orders", "false", "false", "0", "0", "0", "0", "0", "0", "0"];
    assert!(cache.contains(&cells(&unused)), "{cache}");
    let db = leaf.get("/db/");
    assert!(db.contains("<th>tag</th><th>max</th><th>step</th><th>update</th>"), "{db}");
    assert!(db.contains(&cells(&["fresh", "2,001", "2,000", "-"])), "{db}");
    assert!(db.contains(&cells(&["orders", "1", "2,000", "-"])), "{db}");
    let answer = leaf.call("GET", "/db", &[]);
    assert_eq!(answer.header("content-type"), Some("text/html;charset=UTF-8"));
    assert_eq!(answer.header("content-security-policy"), Some("default-src 'none'"));
}

#[test]
fn a_snowflake_is_taken_apart_in_the_servers_time_zone() {
    let home = Home::new();
    let mut leaf = running(&home);
    let id = (1_795_244_714_446_u64 - 1_288_834_974_657) << 22 | 37;
    for (query, body) in [
        (
            id.to_string(),
            "{\"workerId\":\"0\",\"sequenceId\":\"37\",\
             \"timestamp\":\"1795244714446(2026-11-21 15:05:14.446)\"}",
        ),
        ("abc".to_owned(), "{\"errorMsg\":\"snowflake Id反解析发生异常!\"}"),
    ] {
        assert_eq!(leaf.get(&format!("/decodeSnowflakeId?snowflakeId={query}")), body, "{query}");
    }
    assert_eq!(leaf.call("GET", "/decodeSnowflakeId", &[]).status, 400);
    let own = leaf.get("/api/snowflake/get/x");
    has(&leaf.get(&format!("/decodeSnowflakeId?snowflakeId={own}")), &["\"workerId\":\"0\""]);
}
