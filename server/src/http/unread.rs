//! Refusals of requests that never reached a path: hyper could not read the head, and answers by
//! itself.

use leafid_core::Code;

use crate::http::request_id::{HEADER, RequestId};
use crate::problem::{Figure, Problem};
use crate::routes::answer::PROBLEM_JSON;

/// The head of an answer with a status from 400 to 499.
pub struct Refusal<'a> {
    /// Its lines, each with its end.
    head: &'a str,
    /// What was written together with it.
    written: &'a [u8],
}

/// The refusal that these bytes begin with. An answer's head is always written whole.
pub fn refusal(written: &[u8]) -> Option<Refusal<'_>> {
    if !written.starts_with(b"HTTP/1.") || written.get(8..10) != Some(b" 4") {
        return None;
    }
    let end = written.windows(4).position(|end| end == b"\r\n\r\n")?;
    let head = str::from_utf8(written.get(..end + 2)?).ok()?;
    Some(Refusal { head, written })
}

/// The whole answer to a connection for which there is no room.
pub fn full(most: usize) -> String {
    let detail = format!("all {most} connections of this server are in use; ask again later");
    let problem = Problem::new(Code::Overloaded, detail);
    let after = problem.retry_after_ms.unwrap_or(0).div_ceil(1_000).max(1);
    let id = RequestId::fresh();
    let body = problem.with("request_id", Figure::Text(id.to_string())).json();
    let length = body.len();
    format!(
        "HTTP/1.1 503 Service Unavailable\r\nconnection: close\r\nretry-after: {after}\r\n\
         content-type: {PROBLEM_JSON}\r\ncache-control: no-store\r\n{HEADER}: {id}\r\n\
         content-length: {length}\r\n\r\n{body}"
    )
}

impl Refusal<'_> {
    /// Whether it ends the connection.
    pub fn closes(&self) -> bool {
        self.lines().any(|line| line == "connection: close")
    }

    /// Its length on the wire, if it is one without a body.
    pub fn bytes(&self) -> usize {
        self.head.len() + 2
    }

    /// The answer with a problem in it, where it has none: one of ours always has
    /// `Cache-Control`.
    pub fn problem(&self) -> Option<Vec<u8>> {
        let is_ours = self.lines().any(|line| line.starts_with("cache-control:"));
        let is_empty = self.lines().any(|line| line == "content-length: 0");
        if is_ours || !is_empty || self.written.len() != self.bytes() {
            return None;
        }
        let status = self.head.get(9..12)?.parse().ok()?;
        let id = RequestId::fresh();
        let problem = Problem::new(Code::RequestInvalid, detail(status)).status(status);
        let body = problem.with("request_id", Figure::Text(id.to_string())).json();
        let kept = self.lines().filter(|line| *line != "content-length: 0");
        let kept: String = kept.flat_map(|line| [line, "\r\n"]).collect();
        let length = body.len();
        let text = format!(
            "{kept}content-type: {PROBLEM_JSON}\r\ncache-control: no-store\r\n\
             {HEADER}: {id}\r\ncontent-length: {length}\r\n\r\n{body}"
        );
        Some(text.into_bytes())
    }

    fn lines(&self) -> impl Iterator<Item = &str> {
        self.head.lines()
    }
}

fn detail(status: u16) -> &'static str {
    match status {
        414 => "the path and query are longer than 65534 bytes; shorten them",
        431 => {
            "the request has more than 100 headers, more than 128 KiB of them, or a `Content-Length` \
             that no body can have; send fewer headers, and the body's own length"
        }
        _ => "this cannot be read as HTTP/1.1; check the request line and the headers",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const EMPTY: &str = "HTTP/1.1 431 Request Header Fields Too Large\r\nconnection: close\r\n\
                         content-length: 0\r\ndate: x\r\n\r\n";

    fn exchanged(written: &str) -> Option<String> {
        let refusal = refusal(written.as_bytes())?;
        refusal.problem().map(|text| String::from_utf8(text).unwrap())
    }

    #[test]
    fn an_empty_refusal_becomes_a_problem_and_keeps_its_headers() {
        let text = exchanged(EMPTY).unwrap();
        let (head, body) = text.split_once("\r\n\r\n").unwrap();
        for line in ["connection: close", "date: x", "cache-control: no-store"] {
            assert!(head.lines().any(|found| found == line), "{head}");
        }
        assert!(head.contains(&format!("content-length: {}", body.len())), "{head}");
        assert!(!head.contains("content-length: 0"), "{head}");
        assert!(body.contains("REQUEST_INVALID") && body.contains("431"), "{body}");
        assert!(refusal(EMPTY.as_bytes()).unwrap().closes());
    }

    #[test]
    fn nothing_else_does() {
        let ours = EMPTY.replace("date: x", "cache-control: no-store");
        let with_body = format!("{EMPTY}x");
        let cut = EMPTY.trim_end();
        let ok = EMPTY.replace("431", "200");
        for kept in [&ours, &with_body, cut, &ok, "", "HTTP/1.1 4", "{\"detail\":\"HTTP/1.1 4"] {
            assert_eq!(exchanged(kept), None, "{kept}");
        }
    }
}
