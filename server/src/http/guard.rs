//! Admits programs and refuses requests of web pages. It also reads the body, so that every answer leaves
//! its connection ready for the next request.

use std::time::Duration;

use axum::body::{Body, Bytes};
use axum::http::header::{CONNECTION, HOST, ORIGIN};
use axum::http::request::Parts;
use axum::http::uri::Authority;
use axum::http::{HeaderMap, HeaderValue, Method, Version};
use axum::response::{IntoResponse, Response};
use leafid_core::Code;
use leafid_store::json::shown;
use leafid_store::problem::Problem;

use super::rules::Hosts;
use crate::routes::answer::Refused;
use crate::routes::body::{self, text};

/// Reads the whole body. Refuses a request that may come from a web page, and a body that cannot be read
/// or does not come `within` this time.
pub async fn admit(
    head: &Parts,
    body: Body,
    hosts: &Hosts,
    within: Duration,
) -> Result<Bytes, Response> {
    let checked = match check(head, hosts) {
        Err(problem) if body::is_held_back(&head.headers) => return Err(closing(head, problem)),
        checked => checked,
    };
    match (checked, body::whole(&head.headers, body, within).await) {
        (Ok(()), Ok(body)) => Ok(body),
        (Err(problem), Ok(_)) => Err(Refused(problem).into_response()),
        (Err(problem), Err(_)) | (Ok(()), Err(problem)) => Err(closing(head, problem)),
    }
}

/// Refuses a request whose body was not read: the connection is closed, and the answer says so.
fn closing(head: &Parts, problem: Problem) -> Response {
    let mut response = Refused(problem).into_response();
    // HTTP/2 has no such header.
    if head.version < Version::HTTP_2 {
        response.headers_mut().insert(CONNECTION, HeaderValue::from_static("close"));
    }
    response
}

fn check(head: &Parts, hosts: &Hosts) -> Result<(), Problem> {
    let reads = head.method == Method::GET || head.method == Method::HEAD;
    // Health checks of load balancers do so by default; no browser does.
    if reads && head.version == Version::HTTP_10 && names_no_host(head) {
        return Ok(());
    }
    match own_host(head, hosts)? {
        _ if reads => Ok(()),
        host => same_site(&head.headers, host),
    }
}

fn names_no_host(head: &Parts) -> bool {
    head.uri.authority().is_none() && !head.headers.contains_key(HOST)
}

/// Refuses a request that may come from a web page, for paths where even a GET hands something out.
pub fn check_any(head: &Parts, hosts: &Hosts) -> Result<(), Problem> {
    same_site(&head.headers, own_host(head, hosts)?)
}

/// The host that the request names, once it is known to be this server.
fn own_host<'h>(head: &'h Parts, hosts: &Hosts) -> Result<&'h str, Problem> {
    let host = host(head)?;
    if hosts.allow(host) {
        return Ok(host);
    }
    let host = shown(host);
    let detail = match hosts {
        Hosts::Loopback => {
            format!("host `{host}` is not a loopback address; use `127.0.0.1` or `localhost`")
        }
        Hosts::Named(_) | Hosts::Any => format!(
            "host `{host}` is not a name of this server; use its address, or have the name allowed: \
             leafid serve --allow-host NAME"
        ),
    };
    Err(Problem::new(Code::Forbidden, detail))
}

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

/// Refuses a request of another site's page: browsers name the origin, programs do not.
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
