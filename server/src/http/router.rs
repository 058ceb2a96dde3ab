//! The paths of each listener, behind their middleware.

use std::sync::Arc;

use axum::extract::Request;
use axum::middleware::{self, Next};
use axum::routing::{delete, get, post, put};
use axum::{Extension, Router};
use leafid_core::Code;
use leafid_store::json::shown;
use leafid_store::problem::Problem;
use leafid_wire::path;

use super::authorize::authorize;
use super::listener::{At, Face, Listener};
use super::rules::Rules;
use crate::app::App;
use crate::routes::answer::Refused;
use crate::routes::audit::audited;
use crate::routes::{
    dashboard, decode, health, metrics, namespaces, openapi, overview, segments, servers, tags,
    workers,
};

/// The paths of a listener. One that another of `all` serves is refused with that one's address.
pub fn paths(app: &Arc<App>, listener: Listener, rules: &Rules, all: &[At]) -> Router {
    let mut router = Router::new();
    for face in Face::ALL {
        let mut routes = routes(face);
        if !listener.serves(face) {
            let there = all.iter().find(|at| at.listener.serves(face)).copied();
            let refuse = move |request: Request, _: Next| async move {
                Refused(elsewhere(&request, listener, there))
            };
            router = router.merge(routes.route_layer(middleware::from_fn(refuse)));
            continue;
        }
        if let Some(tokens) = rules.tokens.clone() {
            routes = match face.verb() {
                Some(verb) => {
                    routes.route_layer(middleware::from_fn_with_state((tokens, verb), authorize))
                }
                None => routes.route_layer(Extension(tokens)),
            };
        }
        router = router.merge(routes);
    }
    let router = router.fallback(unknown_path).method_not_allowed_fallback(wrong_method);
    router.with_state(Arc::clone(app))
}

fn routes(face: Face) -> Router<Arc<App>> {
    let router = Router::new();
    match face {
        Face::Leases => router
            .route(path::LEASE, post(segments::lease))
            .route(path::NUMBERS, post(segments::ids))
            .route(path::ACQUIRE, post(workers::acquire))
            .route(path::RENEW, post(workers::renew))
            .route(path::RELEASE, post(workers::release))
            .route(path::SNOWFLAKES, post(segments::snowflakes)),
        Face::Reads => router
            .route(path::DECODE, get(decode::decode))
            .route(path::TAGS, get(tags::list))
            .route(path::TAG, get(tags::get))
            .route(path::NAMESPACES, get(namespaces::list))
            .route(path::NAMESPACE, get(namespaces::get))
            .route(path::WORKERS, get(workers::list)),
        Face::Admin => router
            .route(path::TAG, put(|input| audited(input, tags::put)))
            .route(path::TAG, delete(|input| audited(input, tags::delete)))
            .route(path::ADVANCE, post(|input| audited(input, tags::advance)))
            .route(path::NAMESPACE, put(|input| audited(input, namespaces::put)))
            .route(path::ASIDE, put(|input| audited(input, workers::set_aside)))
            .route(path::REVOKE, post(|input| audited(input, workers::revoke)))
            .route(path::SERVERS, get(servers::list))
            .route(path::SERVER, delete(|input| audited(input, servers::remove))),
        Face::Health => router
            .route(path::HEALTHZ, get(health::healthz))
            .route(path::READYZ, get(health::readyz))
            .route(path::OPENAPI, get(openapi::serve)),
        Face::Seen => router
            .route(path::METRICS, get(metrics::get))
            .route(path::OVERVIEW, get(overview::get))
            .route(path::NUMBERS_OF, get(namespaces::numbers)),
        Face::Page => router
            .route(dashboard::PAGE, get(dashboard::page))
            .route(dashboard::FILE, get(dashboard::file)),
    }
}

/// Refuses a path that another listener serves.
fn elsewhere(request: &Request, listener: Listener, there: Option<At>) -> Problem {
    let (method, path) = (request.method().as_str(), request.uri().path());
    let there = there.map_or_else(
        || "no listener of this server does".to_owned(),
        |at| format!("ask the {} listener, {}", at.listener.name, at.url()),
    );
    let detail = format!(
        "`{} {}` is not served by the {} listener; {there}",
        shown(method),
        shown(path),
        listener.name
    );
    Problem::new(Code::Forbidden, detail)
}

async fn unknown_path(request: Request) -> Refused {
    let detail = format!("no such path: `{}`", shown(request.uri().path()));
    Refused(Problem::new(Code::RequestInvalid, detail).status(404))
}

async fn wrong_method(request: Request) -> Refused {
    let (method, path) = (request.method().as_str(), request.uri().path());
    let detail = format!(
        "method `{}` is not allowed for `{}`; the `Allow` header says which are",
        shown(method),
        shown(path)
    );
    Refused(Problem::new(Code::RequestInvalid, detail).status(405))
}
