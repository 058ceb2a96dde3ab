//! Who may ask: programs of this machine, not web pages that a browser on it has open.

use std::net::IpAddr;

use axum::extract::Request;
use axum::http::header::{CONTENT_TYPE, HOST, ORIGIN};
use axum::http::{HeaderMap, Method};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use leafid_core::Code;

use crate::json::shown;
use crate::problem::Problem;

/// Refuses what does not come from a program of this machine, and bodies that are no JSON.
pub async fn guard(request: Request, next: Next) -> Response {
    match check(&request) {
        Ok(()) => next.run(request).await,
        Err(problem) => problem.into_response(),
    }
}

fn check(request: &Request) -> Result<(), Problem> {
    let headers = request.headers();
    let host = request.uri().authority().map(|authority| authority.as_str());
    let host = host.or_else(|| text(headers, HOST.as_str())).unwrap_or("");
    // A page of another site can have its own name resolve to this machine; its name tells.
    if !is_loopback(host) {
        let detail = format!("host `{}` is not this machine's loopback address", shown(host));
        return Err(Problem::new(Code::Forbidden, detail));
    }
    let method = request.method();
    if method == Method::GET || method == Method::HEAD {
        return Ok(());
    }
    same_site(headers, host)?;
    let kind = text(headers, CONTENT_TYPE.as_str()).unwrap_or("");
    let has_body = method == Method::POST || method == Method::PUT;
    if has_body && !is_json(kind) {
        let detail =
            format!("content type `{}` is not taken; send `application/json`", shown(kind));
        return Err(Problem::new(Code::RequestInvalid, detail).status(415));
    }
    Ok(())
}

/// Browsers say where a request comes from; programs do not.
fn same_site(headers: &HeaderMap, host: &str) -> Result<(), Problem> {
    let origin = text(headers, ORIGIN.as_str());
    let own = |origin: &str| origin.split_once("://").is_some_and(|(_, from)| from == host);
    let site = text(headers, "sec-fetch-site").unwrap_or("none");
    if origin.is_some_and(|origin| !own(origin)) || !matches!(site, "none" | "same-origin") {
        let from = shown(origin.unwrap_or(site));
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

fn is_json(kind: &str) -> bool {
    let kind = kind.split(';').next().unwrap_or("").trim();
    kind.eq_ignore_ascii_case("application/json")
}

fn text<'h>(headers: &'h HeaderMap, name: &str) -> Option<&'h str> {
    // A header that is no text is treated as one that says something foreign.
    headers.get(name).map(|value| value.to_str().unwrap_or("?"))
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

    #[test]
    fn json_may_name_its_charset() {
        assert!(is_json("application/json") && is_json("Application/JSON; charset=utf-8"));
        assert!(!is_json("") && !is_json("text/plain") && !is_json("application/jsonx"));
    }
}
