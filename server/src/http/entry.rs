//! Middleware of every request: the guard, the request's id, its caller, and a line in the log for each
//! answer with status 500 or above.

use std::sync::Arc;
use std::time::{Duration, Instant};

use axum::Router;
use axum::body::Body;
use axum::extract::Request;
use axum::http::header::CONTENT_LENGTH;
use axum::http::{HeaderValue, Method, Uri};
use axum::response::Response;
use leafid_store::problem::{Figure, Problem};
use leafid_store::rate::Rate;
use tower::{Service, service_fn};
use tracing::Instrument;
use tracing::field::Empty;

use super::caller::{Caller, Peer};
use super::connection::Serves;
use super::listener::Listener;
use super::request_id::{self, Trace};
use super::rules::Rules;
use crate::app::App;
use crate::http::guard;

static FAILED: Rate = Rate::new();

/// The conditions of one address of a listener.
#[derive(Clone, Debug)]
pub struct Entry {
    pub listener: Listener,
    pub rules: Rules,
    pub body: Duration,
}

/// The service of a listener: its router behind [`enter`]. A layer of the router would be built again for
/// each request.
pub fn service(entry: Entry, app: Arc<App>, paths: Router) -> impl Serves {
    let shared = Arc::new((entry, app));
    service_fn(move |request| {
        let (shared, paths) = (Arc::clone(&shared), paths.clone());
        async move { Ok(enter(&shared.0, &shared.1, request, paths).await) }
    })
}

async fn enter(entry: &Entry, app: &App, request: Request, mut paths: Router) -> Response {
    let (mut head, body) = request.into_parts();
    let listener = entry.listener;
    let admitted = guard::admit(&head, body, &entry.rules, entry.body).await;
    // The body is read: from here on the time is the server's, not that of a slow client.
    let began = Instant::now();
    // A caller's id is not taken over if the body has it, too: it may be a secret.
    let read = admitted.as_ref().ok();
    let trace = read.and_then(|body| Trace::given(&head.headers, body));
    let given = read.and_then(|body| request_id::given(&head.headers, body, trace.as_ref()));
    let id = given.unwrap_or_else(request_id::fresh);
    let peer = head.extensions.get().map(|Peer(peer)| *peer);
    let caller = Caller { listener: listener.name, peer, member: None };
    let (method, uri) = (head.method.clone(), head.uri.clone());
    let span = tracing::error_span!("request", request_id = %id, trace_id = Empty, span_id = Empty);
    if let Some(trace) = &trace {
        span.record("trace_id", &trace.id);
        span.record("span_id", &trace.span);
    }
    let answered = async {
        let response = match admitted {
            Ok(body) => {
                head.extensions.insert(caller.clone());
                // A router is always ready, and never fails.
                let Ok(response) = paths.call(Request::from_parts(head, Body::from(body))).await;
                response
            }
            Err(response) => response,
        };
        let took = began.elapsed();
        let status = response.status().as_u16();
        app.requests.note(uri.path(), status, took);
        if let Some(problem) = response.extensions().get::<Problem>() {
            app.requests.refused(problem.code);
        }
        tracing::debug!(%caller, %method, path = uri.path(), status, ?took, "answered");
        report(&response, &caller, &method, &uri);
        response
    };
    let mut response = named(answered.instrument(span).await, id);
    if let Some(trace) = trace {
        response.headers_mut().insert(request_id::TRACE, trace.value);
    }
    response
}

/// Logs answers with status 500 or above, once a second per code: caller, method and path, never the body,
/// in which the `request` of an acquire is the key of its lease.
fn report(response: &Response, caller: &Caller, method: &Method, uri: &Uri) {
    let status = response.status();
    if let Some(problem) = response.extensions().get::<Problem>()
        && status.is_server_error()
        && let Some(left_out) = FAILED.admit(problem.code)
    {
        let (status, code, path) = (status.as_u16(), problem.code, uri.path());
        let what = format!("request failed: {}", problem.detail);
        // A 503 ends by itself, and some are ordinary: all numbers held, a full queue.
        if status == 503 {
            tracing::warn!(%caller, %method, path, status, %code, left_out, "{what}");
        } else {
            tracing::error!(%caller, %method, path, status, %code, left_out, "{what}");
        }
    }
}

/// Puts the request's id into the answer's header, and into its problem.
pub fn named(mut response: Response, id: String) -> Response {
    if let Some(problem) = response.extensions_mut().remove::<Problem>() {
        let problem = problem.with("request_id", Figure::Text(id.clone()));
        *response.body_mut() = Body::from(problem.json());
        response.headers_mut().remove(CONTENT_LENGTH);
    }
    if let Ok(value) = HeaderValue::try_from(id) {
        response.headers_mut().insert(request_id::HEADER, value);
    }
    response
}
