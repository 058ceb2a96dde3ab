//! The dashboard: a page and its files, compiled into the program. They call this server alone, and a
//! policy has the browser enforce it.

use axum::body::Body;
use axum::extract::Path;
use axum::http::header::{
    CACHE_CONTROL, CONTENT_SECURITY_POLICY, CONTENT_TYPE, REFERRER_POLICY, X_CONTENT_TYPE_OPTIONS,
};
use axum::http::{HeaderName, HeaderValue, Response};
use leafid_core::Code;
use leafid_store::json::shown;
use leafid_store::problem::Problem;

use super::answer::Refused;

pub const PAGE: &str = "/";
pub const FILE: &str = "/dashboard/{file}";

/// The page may load its own files and call this server, nothing else; text never becomes markup or
/// script.
const POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; \
                      connect-src 'self'; base-uri 'none'; form-action 'none'; \
                      frame-ancestors 'none'; require-trusted-types-for 'script'; \
                      trusted-types 'none'";

macro_rules! files {
    ($($name:literal)+) => {
        &[$(($name, include_str!(concat!("../../dashboard/", $name)))),+]
    };
}

const HTML: &str = include_str!("../../dashboard/index.html");
const FILES: &[(&str, &str)] = files! {
    "decoder.js"
    "dom.js"
    "format.js"
    "health.js"
    "icon.svg"
    "main.js"
    "session.js"
    "spaces.js"
    "style.css"
    "tags.js"
};

pub async fn page() -> Response<Body> {
    answer("text/html; charset=utf-8", HTML)
}

pub async fn file(Path(name): Path<String>) -> Result<Response<Body>, Refused> {
    let found = FILES.iter().find(|(known, _)| *known == name);
    let (name, text) = found.ok_or_else(|| {
        let detail = format!("the dashboard has no file `{}`", shown(&name));
        Problem::new(Code::RequestInvalid, detail).status(404)
    })?;
    let kind = match name.rsplit_once('.') {
        Some((_, "css")) => "text/css; charset=utf-8",
        Some((_, "svg")) => "image/svg+xml",
        _ => "text/javascript; charset=utf-8",
    };
    Ok(answer(kind, text))
}

fn answer(kind: &'static str, text: &'static str) -> Response<Body> {
    let mut response = Response::new(Body::from(text));
    let headers = response.headers_mut();
    let opener = HeaderName::from_static("cross-origin-opener-policy");
    let resource = HeaderName::from_static("cross-origin-resource-policy");
    for (name, value) in [
        (CONTENT_TYPE, kind),
        (CACHE_CONTROL, "no-store"),
        (CONTENT_SECURITY_POLICY, POLICY),
        (X_CONTENT_TYPE_OPTIONS, "nosniff"),
        (REFERRER_POLICY, "no-referrer"),
        (opener, "same-origin"),
        (resource, "same-origin"),
    ] {
        headers.insert(name, HeaderValue::from_static(value));
    }
    response
}
