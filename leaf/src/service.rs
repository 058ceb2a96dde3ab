//! What Leaf's listener serves. An ID that is at hand is answered without waiting for anything, and
//! without what the other listeners put around a request.

use std::collections::BTreeMap;
use std::convert::Infallible;
use std::future::{Ready, ready};
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::Duration;

use axum::body::{Body, HttpBody, to_bytes};
use axum::extract::Request;
use axum::http::header::{ACCEPT, RETRY_AFTER};
use axum::http::request::Parts;
use axum::http::{HeaderValue, Method, StatusCode};
use axum::response::Response;
use futures_util::future::Either;
use leafid_core::registry::TagRow;
use leafid_core::{Code, Layout, Name};
use leafid_store::dispense::Generators;
use leafid_store::dispense::driver::AtHand;
use leafid_store::problem::Problem;
use leafid_store::rate::Rate;
use leafid_store::registry::Registry;
use leafid_store::store::Page;
use tower::Service;

use super::answer::{self, Failure};
use super::gate::{Counted, Gate};
use super::paths::Asked;
use super::{decode, pages};
use crate::Modes;

static FAILED: Rate = Rate::new();
/// The namespace of Leaf's snowflakes.
pub const NAMESPACE: &str = "default";
/// Up to how many bytes a body is read.
const MOST_BYTES: usize = 16 * 1_024;
/// A list is read in parts of this many rows.
const PART: u32 = 1_000;

/// Serves Leaf's paths.
#[derive(Clone)]
pub struct LeafService {
    shared: Arc<Shared>,
}

struct Shared {
    store: Arc<Registry>,
    generators: Arc<Generators>,
    modes: Modes,
    gate: Box<dyn Gate>,
    within: Duration,
    namespace: Name,
}

type Later = Pin<Box<dyn Future<Output = Result<Response, Infallible>> + Send>>;

impl LeafService {
    /// Gives what these generators of a server draw, in these modes; what the gate does not admit is
    /// refused, and so is a body that does not come `within` this time.
    ///
    /// # Errors
    /// None in practice: the namespace's name is right.
    pub fn new(
        store: Arc<Registry>,
        generators: Arc<Generators>,
        modes: Modes,
        gate: Box<dyn Gate>,
        within: Duration,
    ) -> Result<LeafService, Problem> {
        let namespace = Name::namespace(NAMESPACE)?;
        Ok(LeafService {
            shared: Arc::new(Shared { store, generators, modes, gate, within, namespace }),
        })
    }
}

impl Service<Request> for LeafService {
    type Response = Response;
    type Error = Infallible;
    type Future = Either<Ready<Result<Response, Infallible>>, Later>;

    fn poll_ready(&mut self, _: &mut Context<'_>) -> Poll<Result<(), Infallible>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, request: Request) -> Self::Future {
        let (head, body) = request.into_parts();
        let has_body = !body.is_end_stream();
        if !has_body && let Some(response) = self.shared.at_once(&head) {
            return Either::Left(ready(Ok(response)));
        }
        let shared = Arc::clone(&self.shared);
        Either::Right(Box::pin(async move {
            // It says nothing, and is read all the same: what is left of it would be taken for the
            // next request, so the connection could not go on.
            if has_body && let Err(status) = shared.read(body).await {
                return Ok(answer::error(status, None, "", head.uri.path()));
            }
            let at_once = if has_body { shared.at_once(&head) } else { None };
            Ok(match at_once {
                Some(response) => response,
                None => shared.later(&head).await,
            })
        }))
    }
}

impl Shared {
    /// Reads a body; the status of a refusal.
    async fn read(&self, body: Body) -> Result<(), StatusCode> {
        match tokio::time::timeout(self.within, to_bytes(body, MOST_BYTES)).await {
            Ok(Ok(_)) => Ok(()),
            Ok(Err(_)) => Err(StatusCode::PAYLOAD_TOO_LARGE),
            Err(_) => Err(StatusCode::REQUEST_TIMEOUT),
        }
    }

    /// The answer, where nothing has to be waited for.
    fn at_once(&self, head: &Parts) -> Option<Response> {
        if let Err(problem) = self.gate.check(head) {
            return Some(self.refused(&problem, head));
        }
        let path = head.uri.path();
        if head.method == Method::HEAD {
            return None;
        }
        if !matches!(head.method, Method::GET | Method::POST | Method::DELETE) {
            let status = StatusCode::METHOD_NOT_ALLOWED;
            let exception = "org.springframework.web.HttpRequestMethodNotSupportedException";
            let message = format!("Request method '{}' not supported", head.method);
            return Some(answer::error(status, Some(exception), &message, path));
        }
        let accept = head.headers.get(ACCEPT);
        let asked = Asked::of(path);
        let tag = match &asked {
            Asked::Segment(_) if !self.modes.segment => return Some(answer::id(0, accept)),
            Asked::Snowflake if !self.modes.snowflake => return Some(answer::id(0, accept)),
            Asked::Segment(key) => Some(self.tag(key)?),
            Asked::Snowflake => None,
            Asked::Slash => return Some(answer::slash()),
            Asked::Unknown => return Some(answer::unknown(path)),
            Asked::Cache | Asked::Db | Asked::Decode => return None,
        };
        let counted = match Counted::by(&*self.gate) {
            Ok(counted) => counted,
            Err(problem) => return Some(self.refused(&problem, head)),
        };
        let drawn = match tag {
            Some(tag) => self.generators.number_at_hand(&tag)?,
            None => self.generators.stamp_at_hand(&self.namespace)?,
        };
        counted.given();
        Some(answer::id(drawn, accept))
    }

    /// The answer to who is not admitted.
    fn refused(&self, problem: &Problem, head: &Parts) -> Response {
        self.gate.refused(problem, head);
        let status = StatusCode::from_u16(problem.http_status()).unwrap_or(StatusCode::FORBIDDEN);
        let mut response = answer::error(status, None, &problem.detail, head.uri.path());
        if let Some(ms) = problem.retry_after_ms {
            response
                .headers_mut()
                .insert(RETRY_AFTER, HeaderValue::from(ms.div_ceil(1_000).max(1)));
        }
        response
    }

    /// The answer, when it is there.
    async fn later(&self, head: &Parts) -> Response {
        let asked = Asked::of(head.uri.path());
        let on = match asked {
            Asked::Segment(_) | Asked::Cache | Asked::Db => self.modes.segment,
            _ => self.modes.snowflake,
        };
        let is_head = head.method == Method::HEAD;
        let draws = on && !is_head && matches!(asked, Asked::Segment(_) | Asked::Snowflake);
        let counted = match draws.then(|| Counted::by(&*self.gate)).transpose() {
            Ok(counted) => counted,
            Err(problem) => return self.refused(&problem, head),
        };
        let response = self.answer(asked, on, is_head, head).await;
        if let Some(counted) = counted
            && response.status().is_success()
        {
            counted.given();
        }
        response
    }

    async fn answer(&self, asked: Asked<'_>, on: bool, is_head: bool, head: &Parts) -> Response {
        let (path, accept) = (head.uri.path(), head.headers.get(ACCEPT));
        match asked {
            Asked::Segment(_) | Asked::Snowflake if !on && is_head => answer::head(accept),
            Asked::Segment(key) if is_head => self.look(&key, path, accept).await,
            Asked::Segment(key) => self.number(&key, path, accept).await,
            Asked::Snowflake if is_head => answer::head(accept),
            Asked::Snowflake => match self.generators.stamps(self.namespace, 1).await {
                Ok(ids) => given(&ids, path, accept),
                Err(problem) => failed(&problem, Failure::NothingAtHand, path),
            },
            Asked::Cache | Asked::Db if !on => answer::mode_off(path),
            Asked::Cache => self.cache().await,
            Asked::Db => match self.tags().await {
                Ok(rows) => pages::db(&rows),
                Err(problem) => failed(&problem, Failure::NothingAtHand, path),
            },
            Asked::Decode => {
                // The layout is Leaf's, unless the namespace was made with another.
                let found = self.store.namespace(self.namespace).await;
                let layout = found.map_or(Layout::LEAF, |namespace| namespace.layout);
                decode::decoded(&head.uri, &layout)
            }
            Asked::Slash => answer::slash(),
            Asked::Unknown => answer::unknown(path),
        }
    }

    /// The tag that a key names: Leaf's own may be named as none of ours can be.
    fn tag(&self, key: &str) -> Option<Name> {
        match Name::tag(key) {
            Err(_) if self.modes.any_key => Name::owner(key).ok(),
            tag => tag.ok(),
        }
    }

    async fn number(&self, key: &str, path: &str, accept: Option<&HeaderValue>) -> Response {
        let Some(tag) = self.tag(key) else { return answer::failed(Failure::KeyUnknown, path) };
        let known = self.generators.knows_tag(&tag);
        match self.generators.numbers(tag, 1).await {
            Ok(ids) => given(&ids, path, accept),
            // A key that was served a moment ago is not unknown to Leaf: its row is gone.
            Err(problem) if problem.code == Code::TagUnknown && !known => {
                answer::failed(Failure::KeyUnknown, path)
            }
            Err(problem) => failed(&problem, Failure::NothingAtHand, path),
        }
    }

    /// Whether there is such a tag, for a HEAD.
    async fn look(&self, key: &str, path: &str, accept: Option<&HeaderValue>) -> Response {
        let Some(tag) = self.tag(key) else { return answer::failed(Failure::KeyUnknown, path) };
        match self.store.tag(tag).await {
            Ok(_) => answer::head(accept),
            Err(problem) if problem.code == Code::TagUnknown => {
                answer::failed(Failure::KeyUnknown, path)
            }
            Err(problem) => failed(&problem, Failure::NothingAtHand, path),
        }
    }

    /// What is at hand, and the tags of which nothing is yet, as far as the store tells.
    async fn cache(&self) -> Response {
        let unused = self.tags().await.unwrap_or_default();
        let mut rows: BTreeMap<Name, AtHand> =
            unused.into_iter().map(|(tag, _)| (tag, AtHand::default())).collect();
        rows.extend(self.generators.at_hand());
        let rows: Vec<(Name, AtHand)> = rows.into_iter().take(pages::MOST).collect();
        pages::cache(&rows)
    }

    async fn tags(&self) -> Result<Vec<(Name, TagRow)>, Problem> {
        let mut rows = Vec::new();
        loop {
            let after = rows.last().map(|(tag, _)| *tag);
            let part = self.store.tags(Page { after, limit: PART }).await?;
            let whole = part.len() < PART as usize;
            rows.extend(part);
            if whole || rows.len() >= pages::MOST {
                rows.truncate(pages::MOST);
                return Ok(rows);
            }
        }
    }
}

fn given(ids: &[u64], path: &str, accept: Option<&HeaderValue>) -> Response {
    match ids.first() {
        Some(id) => answer::id(*id, accept),
        None => answer::failed(Failure::NothingAtHand, path),
    }
}

/// Leaf's words have no reason: it stands in the log, a line a second per code.
fn failed(problem: &Problem, failure: Failure, path: &str) -> Response {
    if let Some(left_out) = FAILED.admit(problem.code) {
        let code = problem.code;
        tracing::warn!(path, %code, left_out, "no ID for a client of Leaf's: {}", problem.detail);
    }
    answer::failed(failure, path)
}
