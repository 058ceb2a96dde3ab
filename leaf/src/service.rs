//! Serves Leaf's paths, without what leafid's other listeners add to each request.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use axum::body::{Body, HttpBody, to_bytes};
use axum::extract::Request;
use axum::http::header::ACCEPT;
use axum::http::request::Parts;
use axum::http::{HeaderValue, Method, StatusCode};
use axum::response::Response;
use leafid_core::registry::TagRow;
use leafid_core::{Code, Layout, Name};
use leafid_store::dispense::Generators;
use leafid_store::dispense::driver::AtHand;
use leafid_store::problem::Problem;
use leafid_store::rate::Rate;
use leafid_store::registry::Registry;
use leafid_store::store::Page;

use crate::answer::{self, KEY_UNKNOWN, NOTHING_AT_HAND};
use crate::paths::Asked;
use crate::{Modes, decode, pages};

static FAILED: Rate = Rate::new();
/// The namespace of Leaf's snowflakes.
pub const NAMESPACE: &str = "default";
const MOST_BYTES: usize = 16 * 1_024;
/// The rows of one page when a list is read from the store.
const PART: u32 = 1_000;

/// Serves Leaf's paths.
pub struct LeafService {
    /// The store of the tags and the namespace.
    pub store: Arc<Registry>,
    /// The server's generators, which make the IDs.
    pub generators: Arc<Generators>,
    /// The modes that are served.
    pub modes: Modes,
    /// The time-out for reading a body.
    pub within: Duration,
    /// The namespace of the snowflakes.
    pub namespace: Name,
}

impl LeafService {
    /// Answers a request, with a refusal if it is not `admitted`.
    pub async fn answer(&self, request: Request, admitted: Result<(), Problem>) -> Response {
        let (head, body) = request.into_parts();
        // The body is not used, but must be read: the rest of it would be taken for the next request
        // on this connection.
        if !body.is_end_stream()
            && let Err(status) = Box::pin(self.read(body)).await
        {
            return answer::error(status, None, "", head.uri.path());
        }
        match admitted {
            Ok(()) => self.admitted(&head).await,
            Err(problem) => {
                let status = StatusCode::from_u16(problem.http_status());
                let status = status.unwrap_or(StatusCode::FORBIDDEN);
                answer::error(status, None, &problem.detail, head.uri.path())
            }
        }
    }

    /// Reads and drops a body; the error is the status to refuse with.
    async fn read(&self, body: Body) -> Result<(), StatusCode> {
        match tokio::time::timeout(self.within, to_bytes(body, MOST_BYTES)).await {
            Ok(Ok(_)) => Ok(()),
            Ok(Err(_)) => Err(StatusCode::PAYLOAD_TOO_LARGE),
            Err(_) => Err(StatusCode::REQUEST_TIMEOUT),
        }
    }

    async fn admitted(&self, head: &Parts) -> Response {
        let (path, accept) = (head.uri.path(), head.headers.get(ACCEPT));
        let is_head = head.method == Method::HEAD;
        if !is_head && !matches!(head.method, Method::GET | Method::POST | Method::DELETE) {
            let status = StatusCode::METHOD_NOT_ALLOWED;
            let exception = "org.springframework.web.HttpRequestMethodNotSupportedException";
            let message = format!("Request method '{}' not supported", head.method);
            return answer::error(status, Some(exception), &message, path);
        }
        let Modes { segment, snowflake, .. } = self.modes;
        match Asked::of(path) {
            Asked::Segment(key) if segment && is_head => {
                Box::pin(self.look(&key, path, accept)).await
            }
            Asked::Segment(_) | Asked::Snowflake if is_head => answer::head(accept),
            Asked::Segment(key) if segment => self.draw(Some(&key), head).await,
            Asked::Snowflake if snowflake => self.draw(None, head).await,
            Asked::Segment(_) | Asked::Snowflake => answer::id(0, accept),
            Asked::Cache | Asked::Db if !segment => answer::mode_off(path),
            Asked::Cache => Box::pin(self.cache()).await,
            Asked::Db => match Box::pin(self.tags()).await {
                Ok(rows) => pages::db(&rows),
                Err(problem) => failed(&problem, path),
            },
            Asked::Decode => {
                // The layout is Leaf's, unless the namespace was made with another.
                let found = Box::pin(self.store.namespace(self.namespace)).await;
                let layout = found.map_or(Layout::LEAF, |namespace| namespace.layout);
                decode::decoded(&head.uri, &layout)
            }
            Asked::Slash => answer::slash(),
            Asked::Unknown => answer::unknown(path),
        }
    }

    /// Answers with a number of a key or a snowflake. Futures that wait are boxed, here and above: hyper
    /// moves each request's future, which has to be small for an ID in memory.
    async fn draw(&self, key: Option<&str>, head: &Parts) -> Response {
        let path = head.uri.path();
        let accept = head.headers.get(ACCEPT);
        let tag = match key.map(|key| self.tag(key)) {
            Some(None) => return answer::failed(KEY_UNKNOWN, path),
            tag => tag.flatten(),
        };
        let at_hand = match &tag {
            Some(tag) => self.generators.number_at_hand(tag),
            None => self.generators.stamp_at_hand(&self.namespace),
        };
        if let Some(id) = at_hand {
            return answer::id(id, accept);
        }
        let known = tag.is_none_or(|tag| self.generators.knows_tag(&tag));
        let drawn = Box::pin(async {
            match tag {
                Some(tag) => self.generators.numbers(tag, 1).await,
                None => self.generators.stamps(self.namespace, 1).await,
            }
        });
        match drawn.await.map(|ids| ids.first().copied()) {
            Ok(Some(id)) => answer::id(id, accept),
            Ok(None) => answer::failed(NOTHING_AT_HAND, path),
            // To Leaf a key that it served a moment ago is known, though its row is gone.
            Err(problem) if problem.code == Code::TagUnknown && !known => {
                answer::failed(KEY_UNKNOWN, path)
            }
            Err(problem) => failed(&problem, path),
        }
    }

    /// The tag that a key names; a tag of Leaf's table need not be a valid leafid tag name.
    fn tag(&self, key: &str) -> Option<Name> {
        match Name::tag(key) {
            Err(_) if self.modes.any_key => Name::owner(key).ok(),
            tag => tag.ok(),
        }
    }

    /// Answers a HEAD by whether the tag exists.
    async fn look(&self, key: &str, path: &str, accept: Option<&HeaderValue>) -> Response {
        let Some(tag) = self.tag(key) else { return answer::failed(KEY_UNKNOWN, path) };
        match self.store.tag(tag).await {
            Ok(_) => answer::head(accept),
            Err(problem) if problem.code == Code::TagUnknown => answer::failed(KEY_UNKNOWN, path),
            Err(problem) => failed(&problem, path),
        }
    }

    /// Answers with the segments in memory, and with the store's other tags if it can list them.
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

/// Answers a failure. Leaf's body gives no reason, so it goes to the log, one line a second per code.
fn failed(problem: &Problem, path: &str) -> Response {
    if let Some(left_out) = FAILED.admit(problem.code) {
        let code = problem.code;
        tracing::warn!(path, %code, left_out, "no ID for a client of Leaf's: {}", problem.detail);
    }
    answer::failed(NOTHING_AT_HAND, path)
}
