//! What the command line makes of an answer that no store gave: a proxy's, or another program's.

use std::io::{BufRead, BufReader, Write};
use std::net::TcpListener;
use std::process::Command;

use crate::support::{LEAFID, LIMIT, has, output, until};

fn complaint(status: &str, kind: &str, body: &str) -> String {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a free port");
    let url = format!("http://{}", listener.local_addr().expect("an address"));
    let answer = format!(
        "HTTP/1.1 {status}\r\ncontent-type: {kind}\r\ncontent-length: {}\r\n\
         connection: close\r\n\r\n{body}",
        body.len()
    );
    let proxy = std::thread::spawn(move || {
        // Who is asked by nobody does not wait for ever.
        listener.set_nonblocking(true).expect("a listener");
        let (mut stream, _) = until(|| listener.accept().ok()).expect("it is asked");
        stream.set_nonblocking(false).expect("a stream");
        stream.set_read_timeout(Some(LIMIT)).expect("a time-out");
        let head = BufReader::new(stream.try_clone().expect("a stream")).lines();
        assert!(head.map_while(Result::ok).any(|line| line.is_empty()), "a GET ends so");
        stream.write_all(answer.as_bytes()).expect("an answer");
    });
    let done = output(Command::new(LEAFID).args(["tag", "list", "--url", &url]));
    proxy.join().expect("it was asked once");
    assert_eq!(done.status.code(), Some(1));
    String::from_utf8(done.stderr).expect("text")
}

/// What each status means is in `wire/tests/answers.rs`.
#[test]
fn a_stores_problem_keeps_its_words_and_another_answer_is_none_of_a_store() {
    let problem = r#"{"code":"OVERLOADED","detail":"too many at once"}"#;
    for (status, kind, body, words) in [
        ("401 Unauthorized", "text/plain", "who are you", "UNAUTHORIZED"),
        ("200 OK", "text/html", "<html>", "is it a leafid store?"),
        ("503 No", "application/problem+json", problem, "OVERLOADED: too many at once"),
    ] {
        has(&complaint(status, kind, body), &[words]);
    }
}
