//! Requests of a store over SQL: a verb and its fields in, a decision for one turn out.

use alloc::borrow::ToOwned as _;
use alloc::boxed::Box;
use alloc::vec::Vec;

use leafid_core::registry::{Namespace, TagRow};
use leafid_core::{
    AcquireAsk, Code, Name, Range, Refusal, Release, RenewAsk, SegmentAsk, SegmentGrant, StoreTime,
    WindowGrant,
};
use leafid_turn::alone::Decide;
use leafid_turn::change::{NamespaceChange, Page, TagChange};
use leafid_turn::clock::{strayed, strays};
use leafid_turn::declared::{self, Difference};
use leafid_turn::guest::{Noted, Waits};
use leafid_turn::want::{Answer, Want};
use leafid_turn::{namespaces, segments, windows};
use leafid_wire::{FieldReader, FieldWriter, Fields, need};

use crate::source::{Source, Wrong, read, read_with};

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
        "tag" => {
            let tag = read_with(ask, "ask", tag)?;
            Box::new(move |turn| segments::tag(turn, &tag).map(|row| Reply::Tag(tag, row)))
        }
        "tags" => {
            let page = read_with(ask, "ask", |from| {
                let after = from.text("after", Name::tag)?.transpose()?;
                Ok(Page { after, limit: need(from.small("limit")?)? })
            })?;
            Box::new(move |turn| match turn.list(Want::Tags(page))? {
                Answer::Tags(rows) => Ok(Reply::Tags(rows)),
                _ => Ok(Reply::Tags(Vec::new())),
            })
        }
        "create_tag" | "set_tag" => {
            let (tag, change) =
                read_with(ask, "tag", |from| Ok((tag(from)?, TagChange::get(from)?)))?;
            let only_create = verb == "create_tag";
            let change = TagChange { only_create, only_change: !only_create, ..change };
            let put = move |turn: &mut _| segments::put(turn, &tag, &change);
            Box::new(move |turn| put(turn).map(|row| Reply::Tag(tag, row)))
        }
        "declare_tag" => {
            let (tag, (said, how)) = read_with(ask, "tag", |from| {
                Ok((tag(from)?, need(declared(from, TagChange::get)?)?))
            })?;
            Box::new(move |turn| match turn.tag(&tag)? {
                // An explicit create brings a deleted tag back; a declaration does not.
                Some(row) if row.deleted => segments::put(turn, &tag, &said).map(|_| Reply::Done),
                _ => declared::tag(turn, &tag, &said, &how).map(|()| Reply::Done),
            })
        }
        "declare_namespace" => {
            let (name, (said, how)) = read_with(ask, "namespace", |from| {
                Ok((namespace(from)?, need(declared(from, NamespaceChange::get)?)?))
            })?;
            Box::new(move |turn| {
                declared::namespace(turn, &name, &said, &how).map(|()| Reply::Done)
            })
        }
        "advance_tag" => {
            let (tag, to) = read_with(ask, "tag", |from| Ok((tag(from)?, need(from.big("to")?)?)))?;
            Box::new(move |turn| {
                turn.settle(&tag);
                segments::advance(turn, &tag, to).map(|row| Reply::Tag(tag, row))
            })
        }
        "delete_tag" => {
            let tag = read_with(ask, "tag", tag)?;
            Box::new(move |turn| segments::delete(turn, &tag).map(|()| Reply::Done))
        }
        "namespace" => {
            let name = read_with(ask, "namespace", namespace)?;
            Box::new(move |turn| namespaces::namespace(turn, &name).map(Reply::Namespace))
        }
        "create_namespace" | "set_namespace" => {
            let (name, change) = read_with(ask, "namespace", |from| {
                Ok((namespace(from)?, NamespaceChange::get(from)?))
            })?;
            let only_create = verb == "create_namespace";
            let change = NamespaceChange { only_create, ..change };
            Box::new(move |turn| {
                if !only_create {
                    namespaces::namespace(turn, &name)?;
                }
                namespaces::put(turn, &name, &change).map(Reply::Namespace)
            })
        }
        "release_worker" => {
            let (name, worker) = read_with(ask, "namespace", |from| {
                Ok((namespace(from)?, need(from.small("worker")?)?))
            })?;
            Box::new(move |turn| windows::revoke(turn, &name, worker).map(|()| Reply::Done))
        }
        "noted" => {
            let (guest, waits, is_late) = read_with(ask, "ask", |from| {
                let guest = need(from.token("guest")?)?;
                let beat = need(from.text("beat", str::parse)?)?;
                let beat = beat.map_err(|()| Code::RequestInvalid)?;
                let waits = Waits { beat, generation: need(from.number("generation")?)? };
                Ok((guest, waits, from.flag("is_late")?.unwrap_or(false)))
            })?;
            Box::new(move |turn| {
                // Both in one read.
                let (servers, fenced) = (turn.list(Want::Servers), turn.list(Want::Fenced));
                let (Answer::Servers(servers), Answer::Fenced(fenced)) = (servers?, fenced?) else {
                    return Ok(Reply::Done);
                };
                match waits.noted(guest, &servers, fenced.row) {
                    Noted::Some if is_late => Err(waits.too_long(guest, &servers).into()),
                    noted => Ok(Reply::Noted(noted)),
                }
            })
        }
        "check_clock" => {
            let (clock, [now, granted, seen]) = read_with(ask, "ask", |from| {
                let clock = need(from.text("clock", str::to_owned)?)?;
                let mut at = |name| need(from.millis(name)?).map(StoreTime::new);
                Ok((clock, [at("now")?, at("granted")?, at("seen")?]))
            })?;
            Box::new(move |_| match strays(now, granted, seen) {
                Some(known) => Err(strayed(&clock, now, known).into()),
                None => Ok(Reply::Done),
            })
        }
        _ => return Err(Code::RequestInvalid.into()),
    })
}

fn tag(from: &mut impl FieldReader) -> Result<Name, Refusal> {
    need(from.text("tag", Name::tag)?.transpose()?)
}

fn namespace(from: &mut impl FieldReader) -> Result<Name, Refusal> {
    need(from.text("namespace", Name::namespace)?.transpose()?)
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
