//! Leaf's paths, without what the other listeners put around a request.

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
/// Up to how many bytes a body is read.
const MOST_BYTES: usize = 16 * 1_024;
/// A list is read in parts of this many rows.
const PART: u32 = 1_000;

/// Serves Leaf's paths.
pub struct LeafService {
    /// Where the tags and the namespace are.
    pub store: Arc<Registry>,
    /// What draws the IDs.
    pub generators: Arc<Generators>,
    /// What is served.
    pub modes: Modes,
    /// How long a body may take.
    pub within: Duration,
    /// The namespace of the snowflakes.
    pub namespace: Name,
}

impl LeafService {
    /// The answer to a request, or to who is not `admitted`.
    pub async fn answer(&self, request: Request, admitted: Result<(), Problem>) -> Response {
        let (head, body) = request.into_parts();
        // It says nothing, and is read all the same: what is left of it would be taken for the next
        // request, so the connection could not go on.
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

    /// Reads a body; the status of a refusal.
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

    /// A number of a key, or a snowflake. What has to wait is boxed, here and above: hyper moves the
    /// future of each request, and that of an ID at hand has to be small.
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
            // A key that was served a moment ago is not unknown to Leaf: its row is gone.
            Err(problem) if problem.code == Code::TagUnknown && !known => {
                answer::failed(KEY_UNKNOWN, path)
            }
            Err(problem) => failed(&problem, path),
        }
    }

    /// The tag that a key names: Leaf's own may be named as none of ours can be.
    fn tag(&self, key: &str) -> Option<Name> {
        match Name::tag(key) {
            Err(_) if self.modes.any_key => Name::owner(key).ok(),
            tag => tag.ok(),
        }
    }

    /// Whether there is such a tag, for a HEAD.
    async fn look(&self, key: &str, path: &str, accept: Option<&HeaderValue>) -> Response {
        let Some(tag) = self.tag(key) else { return answer::failed(KEY_UNKNOWN, path) };
        match self.store.tag(tag).await {
            Ok(_) => answer::head(accept),
            Err(problem) if problem.code == Code::TagUnknown => answer::failed(KEY_UNKNOWN, path),
            Err(problem) => failed(&problem, path),
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

/// Leaf's words have no reason: it stands in the log, a line a second per code.
fn failed(problem: &Problem, path: &str) -> Response {
    if let Some(left_out) = FAILED.admit(problem.code) {
        let code = problem.code;
        tracing::warn!(path, %code, left_out, "no ID for a client of Leaf's: {}", problem.detail);
    }
    answer::failed(NOTHING_AT_HAND, path)
}
