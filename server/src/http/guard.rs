//! Who may ask: programs of this machine, not web pages that a browser on it has open. And the
//! body is read here, so that every answer leaves its connection ready for the next request.

use std::net::IpAddr;

use axum::body::{Body, Bytes};
use axum::http::header::{CONNECTION, HOST, ORIGIN};
use axum::http::request::Parts;
use axum::http::uri::Authority;
use axum::http::{HeaderMap, HeaderValue, Method, Version};
use axum::response::{IntoResponse, Response};
use leafid_core::Code;

use crate::json::shown;
use crate::problem::Problem;
use crate::routes::body::{self, text};

/// The whole body of a request; a refusal of what does not come from a program of this machine, and
/// of bodies that cannot be read.
pub async fn admit(head: &Parts, body: Body) -> Result<Bytes, Response> {
    let checked = match check(head) {
        Err(problem) if body::is_held_back(&head.headers) => return Err(closing(head, problem)),
        checked => checked,
    };
    match (checked, body::whole(&head.headers, body).await) {
        (Ok(()), Ok(body)) => Ok(body),
        (Err(problem), Ok(_)) => Err(problem.into_response()),
        (Err(problem), Err(_)) | (Ok(()), Err(problem)) => Err(closing(head, problem)),
    }
}

/// A refusal of a request whose body was not read: the connection cannot go on, and says so.
fn closing(head: &Parts, problem: Problem) -> Response {
    let mut response = problem.into_response();
    // HTTP/2 has other means, and no such header.
    if head.version < Version::HTTP_2 {
        response.headers_mut().insert(CONNECTION, HeaderValue::from_static("close"));
    }
    response
}

fn check(head: &Parts) -> Result<(), Problem> {
    match own_host(head)? {
        _ if head.method == Method::GET || head.method == Method::HEAD => Ok(()),
        host => same_site(&head.headers, host),
    }
}

/// Refuses what does not come from a program of this machine, by the head of a request whose GET
/// gives something, too.
pub fn check_any(head: &Parts) -> Result<(), Problem> {
    same_site(&head.headers, own_host(head)?)
}

/// The host that the request is for, which is this machine. A page of another site can have its own
/// name resolve to it; that name tells.
fn own_host(head: &Parts) -> Result<&str, Problem> {
    let host = host(head)?;
    if is_loopback(host) {
        return Ok(host);
    }
    let detail =
        format!("host `{}` is not a loopback address; use `127.0.0.1` or `localhost`", shown(host));
    Err(Problem::new(Code::Forbidden, detail))
}

/// The host that the request is for, said exactly once.
fn host(head: &Parts) -> Result<&str, Problem> {
    let headers = head.headers.get_all(HOST);
    let mut said = headers.iter().map(text);
    let authority = head.uri.authority().map(Authority::as_str);
    match (authority, said.next(), said.next()) {
        (Some(host), _, None) | (None, Some(host), None) => Ok(host),
        _ => {
            let said = headers.iter().count();
            let detail = format!("the request has {said} `Host` headers; send one");
            Err(Problem::new(Code::RequestInvalid, detail))
        }
    }
}

/// Browsers say where a request comes from; programs do not.
fn same_site(headers: &HeaderMap, host: &str) -> Result<(), Problem> {
    let own = |origin: &&str| origin.split_once("://").is_some_and(|(_, from)| from == host);
    let near = |site: &&str| matches!(*site, "none" | "same-origin");
    let origin = headers.get_all(ORIGIN).iter().map(text).find(|origin| !own(origin));
    let site = headers.get_all("sec-fetch-site").iter().map(text).find(|site| !near(site));
    if let Some(from) = origin.or(site) {
        let from = shown(from);
        let detail = format!("a web page of another site (`{from}`) may not change anything here");
        return Err(Problem::new(Code::Forbidden, detail));
    }
    Ok(())
}

fn is_loopback(host: &str) -> bool {
    let name = match host.rsplit_once(':') {
        Some((name, port)) if port.bytes().all(|digit| digit.is_ascii_digit()) => name,
        _ => host,
    };
    let address = name.strip_prefix('[').and_then(|name| name.strip_suffix(']')).unwrap_or(name);
    name.eq_ignore_ascii_case("localhost")
        || address.parse().is_ok_and(|address: IpAddr| address.is_loopback())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_loopback_names_are_this_machine() {
        for good in ["127.0.0.1", "127.0.0.1:8750", "127.8.9.10:1", "localhost:8750", "[::1]:8750"]
        {
            assert!(is_loopback(good), "{good}");
        }
        let bad = ["", "evil.example", "127.0.0.1.evil.example", "192.0.2.1:8750", "localhost:x"];
        for bad in bad {
            assert!(!is_loopback(bad), "{bad}");
        }
    }
}
