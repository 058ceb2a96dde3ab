//! Requests of a store over SQL: a verb and its fields in, a decision for one turn out.

use alloc::borrow::ToOwned as _;
use alloc::boxed::Box;
use alloc::vec::Vec;

use leafid_core::registry::{Namespace, TagRow};
use leafid_core::{
    AcquireAsk, Name, Range, Refusal, Release, RenewAsk, SegmentAsk, SegmentGrant, WindowGrant,
};
use leafid_turn::alone::Decide;
use leafid_turn::change::{NamespaceChange, TagChange};
use leafid_turn::declared::{self, Difference};
use leafid_turn::guest::Noted;
use leafid_turn::{segments, windows};
use leafid_wire::{FieldReader, FieldWriter, Fields};

use crate::source::{Source, Wrong, read, read_with};

#[cfg(feature = "servers")]
mod operated;
#[cfg(feature = "servers")]
pub use operated::changes;

/// The answer to a request.
#[derive(Clone, Debug)]
pub enum Reply {
    /// Numbers.
    Segment(SegmentGrant),
    /// A window.
    Window(WindowGrant),
    /// A tag.
    Tag(Name, TagRow),
    /// Some of the tags, by name.
    Tags(Vec<(Name, TagRow)>),
    /// A namespace.
    Namespace(Namespace),
    /// Whether the store's servers have noted a write.
    Noted(Noted),
    /// How many rows were raised.
    #[cfg(feature = "servers")]
    Raised(u64),
    /// Success without data.
    Done,
}

impl Reply {
    /// Writes the fields; a list has none.
    pub fn put(&self, to: &mut impl FieldWriter) {
        match self {
            Reply::Segment(grant) => grant.put(to),
            Reply::Window(grant) => grant.put(to),
            Reply::Tag(tag, row) => {
                to.text("tag", tag.as_str());
                row.put(to);
            }
            Reply::Namespace(row) => row.put(to),
            Reply::Noted(noted) => {
                let (state, last) = match noted {
                    Noted::All { last } => ("all", *last),
                    Noted::Some => ("some", false),
                    Noted::Again => ("again", false),
                };
                to.text("noted", state);
                to.flag("last", last);
            }
            #[cfg(feature = "servers")]
            Reply::Raised(rows) => to.number("raised", *rows),
            Reply::Tags(_) | Reply::Done => {}
        }
    }
}

/// The decision for a verb's request.
///
/// # Errors
/// A field that cannot be read; `REQUEST_INVALID` for an unknown verb.
pub fn request(verb: &str, ask: impl Source) -> Result<Decide<Reply>, Wrong> {
    Ok(match verb {
        "lease_segment" => {
            let (ask, declared): (SegmentAsk, _) = read_with(ask, "ask", |from| {
                Ok((SegmentAsk::get(from)?, declared(from, TagChange::get)?))
            })?;
            Box::new(move |turn| {
                if let Some((said, how)) = &declared {
                    declared::tag(turn, &ask.tag, said, how)?;
                }
                segments::lease(turn, &ask).map(Reply::Segment)
            })
        }
        "acquire" => {
            let (ask, declared): (AcquireAsk, _) = read_with(ask, "ask", |from| {
                Ok((AcquireAsk::get(from)?, declared(from, NamespaceChange::get)?))
            })?;
            Box::new(move |turn| {
                windows::want(turn, &ask);
                if let Some((said, how)) = &declared {
                    declared::namespace(turn, &ask.namespace, said, how)?;
                }
                windows::acquire(turn, &ask).map(Reply::Window)
            })
        }
        "renew" => {
            let (ask, within): (RenewAsk, _) = read_with(ask, "ask", |from| {
                Ok((RenewAsk::get(from)?, from.nested("within", Range::get)?))
            })?;
            Box::new(move |turn| {
                windows::want_held(turn, &ask.namespace, ask.worker);
                windows::renew(turn, &ask, within).map(Reply::Window)
            })
        }
        "release" => {
            let ask: Release = read(ask, "release")?;
            Box::new(move |turn| {
                windows::want_held(turn, &ask.namespace, ask.worker);
                windows::release(turn, &ask).map(|()| Reply::Done)
            })
        }
        #[cfg(feature = "servers")]
        _ => return operated::request(verb, ask),
        #[cfg(not(feature = "servers"))]
        _ => return Err(leafid_core::Code::RequestInvalid.into()),
    })
}

/// Reads `declared`: the wanted values, and how to treat a row that differs.
fn declared<S: FieldReader, T>(
    from: &mut S,
    get: impl FnOnce(&mut S) -> Result<T, Refusal>,
) -> Result<Option<(T, Difference)>, Refusal> {
    from.nested("declared", |from| {
        let needs_from = from.flag("needs_from")?.unwrap_or(false);
        let changed = Difference::Changed { needs_from };
        let how = from.text("place", |place| Difference::Refused(place.to_owned()))?;
        Ok((get(from)?, how.unwrap_or(changed)))
    })
}
