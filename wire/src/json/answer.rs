//! The answer that a client gets.

use leafid_core::{Ask, Code, Grant, SegmentGrant, WindowGrant};
use serde_json::{Map, Value};

use super::problem::{Problem, retry_after_ms};
use super::reader::Reader;
use super::unique::Unique;
use crate::{Fields, from_http};

/// The longest answer to an ask to read, in bytes: a hundred times the usual length.
pub const LONGEST_ANSWER: u64 = 64 * 1024;

/// The parts of an HTTP answer that matter.
#[derive(Clone, Copy, Debug)]
pub struct Answer<'a> {
    /// The address that answered, for messages.
    pub url: &'a str,
    /// Its status.
    pub status: u16,
    /// Its `Content-Type`; empty without one.
    pub content_type: &'a str,
    /// Its `Retry-After`.
    pub retry_after: Option<&'a str>,
    /// Its whole body.
    pub body: &'a [u8],
}

impl Answer<'_> {
    /// Reads the grant for this ask.
    ///
    /// # Errors
    /// The store's problem; [`from_http`] if the answer is not a store's; `GRANT_INVALID` for a success
    /// without a valid grant.
    pub fn grant(&self, ask: &Ask) -> Result<Grant, Problem> {
        let reader = Reader::new(self.object()?);
        let grant = match ask {
            Ask::Segment(_) => reader.known(SegmentGrant::get).map(Grant::Segment),
            Ask::Acquire(_) | Ask::Renew(_) => reader.known(WindowGrant::get).map(Grant::Window),
        };
        grant.map_err(|invalid| {
            let (url, why) = (&self.url, invalid.detail);
            let detail = format!("`{url}` answered with something else than a grant: {why}");
            Problem::new(Code::GrantInvalid, detail)
        })
    }

    /// Reads the object of a success.
    ///
    /// # Errors
    /// As [`Answer::grant`], for anything else.
    pub fn object(&self) -> Result<Map<String, Value>, Problem> {
        let object = match serde_json::from_slice(self.body) {
            Ok(Unique(Value::Object(object))) if self.is_json() => Some(object),
            _ => None,
        };
        match (self.status, object) {
            (200, Some(object)) => Ok(object),
            (_, object) => Err(self.problem(Reader::new(object.unwrap_or_default()))),
        }
    }

    fn problem(&self, mut from: Reader) -> Problem {
        let is_success = (200..300).contains(&self.status);
        let said = Problem::read(&mut from).filter(|_| !is_success);
        let mut problem = said.unwrap_or_else(|| {
            let kind = Some(self.kind()).filter(|kind| !kind.is_empty()).unwrap_or("nothing");
            let detail = format!(
                "`{}` answered {} with `{kind}` instead of a store's JSON; is it a leafid store?",
                self.url, self.status,
            );
            let retry_after_ms = retry_after_ms(&mut from);
            Problem { retry_after_ms, ..Problem::new(from_http(self.status), detail) }
        });
        problem.retry_after_ms = problem.retry_after_ms.or_else(|| self.retry_after_header());
        problem
    }

    /// The header's value in seconds; a date is ignored.
    fn retry_after_header(&self) -> Option<u32> {
        let seconds: u32 = self.retry_after?.trim().parse().ok()?;
        Some(seconds.saturating_mul(1_000))
    }

    fn kind(&self) -> &str {
        self.content_type.split(';').next().unwrap_or_default().trim()
    }

    fn is_json(&self) -> bool {
        let kind = self.kind();
        ["application/json", "application/problem+json"]
            .iter()
            .any(|json| kind.eq_ignore_ascii_case(json))
    }
}
