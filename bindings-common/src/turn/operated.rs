//! Requests that stores in Workers never get: those of operators, of programs that make their store, and of guests.

use alloc::borrow::ToOwned as _;
use alloc::boxed::Box;
use alloc::string::String;
use alloc::vec::Vec;

use leafid_core::{Code, Name, Refusal, StoreTime};
use leafid_turn::alone::{Alone, Decide};
use leafid_turn::change::{NamespaceChange, Page, TagChange};
use leafid_turn::clock::{strayed, strays};
use leafid_turn::guest::{Noted, Waits};
use leafid_turn::journal::{self, Kind};
use leafid_turn::problem::Problem;
use leafid_turn::want::{Answer, Want};
use leafid_turn::{namespaces, segments, windows};
use leafid_wire::{FieldReader, need};

use super::{Reply, declared};
use crate::source::{Source, Wrong, read_with};

/// The decision for a verb's request.
///
/// # Errors
/// As [`request`](super::request).
pub fn request(verb: &str, ask: impl Source) -> Result<Decide<Reply>, Wrong> {
    Ok(match verb {
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
                _ => leafid_turn::declared::tag(turn, &tag, &said, &how).map(|()| Reply::Done),
            })
        }
        "declare_namespace" => {
            let (name, (said, how)) = read_with(ask, "namespace", |from| {
                Ok((namespace(from)?, need(declared(from, NamespaceChange::get)?)?))
            })?;
            Box::new(move |turn| {
                leafid_turn::declared::namespace(turn, &name, &said, &how).map(|()| Reply::Done)
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
        "raise" => {
            let known = read_with(ask, "ask", |from| {
                let known = need(from.text("known", journal::read)?)?;
                Ok(need(known)?.0)
            })?;
            Box::new(move |turn| journal::raise(turn, &known).map(Reply::Raised))
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

/// What a request changed or was granted, for a journal of hosts; empty for nothing.
pub fn changes(turn: &Alone<Reply>) -> String {
    let kind = match turn.reply() {
        Some(Ok(Reply::Segment(_) | Reply::Window(_))) => Kind::Grants,
        Some(Err(Problem { code: Code::StoreWentBack | Code::StoreRefused, .. })) => Kind::Claims,
        _ => Kind::Changes,
    };
    journal::text(&turn.intervals(), kind)
}

fn tag(from: &mut impl FieldReader) -> Result<Name, Refusal> {
    need(from.text("tag", Name::tag)?.transpose()?)
}

fn namespace(from: &mut impl FieldReader) -> Result<Name, Refusal> {
    need(from.text("namespace", Name::namespace)?.transpose()?)
}
