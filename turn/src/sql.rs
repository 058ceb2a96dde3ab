//! Wants and writes in SQL, and rows of results as answers. A back end runs the texts of its dialect.

pub mod columns;
pub mod errors;
pub mod gaps;
pub mod leaf;

use alloc::borrow::ToOwned;
use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec;
use alloc::vec::Vec;

use leafid_core::registry::{Namespace, TagRow, Worker, WorkerRow};
use leafid_core::{Code, Name, Refusal};
use leafid_wire::{FieldReader, FieldWriter, Fields, need};

use crate::SERVERS;
use crate::change::Page;
use crate::explain;
use crate::problem::Problem;
use crate::register::{self, Server};
use crate::row::{Fenced, NamespaceRow, Seen};
use crate::want::{Answer, Want};
use crate::write::{ServerWrite, WorkerWrite, Write};
use columns::{Columns, Params, Source, Value};

/// The version of the tables, in every dialect: a program opens only its own version. Keys in etcd and
/// ZooKeeper have one of their own, in `store/src/keyed/text.rs`.
pub const VERSION: i64 = 1;

/// The `application_id` of a SQLite file of ours: `leaf` as a number.
pub const SQLITE_APPLICATION: i64 = 0x6c65_6166;

mod texts {
    use super::{Text, Texts};

    include!(concat!(env!("OUT_DIR"), "/texts.rs"));
}

pub use texts::{LEAF, MYSQL, POSTGRES, SQLITE};

/// A text as a driver takes it.
#[derive(Clone, Copy, Debug)]
pub struct Text {
    /// The statement; only `schema` has several.
    pub sql: &'static str,
    /// The names of its parameters, in the order of their values.
    pub names: &'static [&'static str],
}

/// The texts of a dialect.
#[derive(Clone, Copy, Debug)]
pub struct Texts {
    /// Each with its name, such as `tag_add`, in their order.
    pub all: &'static [(&'static str, Text)],
    /// Whether Leaf's own table keeps the tags.
    pub leaf: bool,
}

impl Texts {
    /// The text of this name, if the dialect has one.
    pub fn find(&self, name: &str) -> Option<&'static Text> {
        let at = self.all.binary_search_by(|(known, _)| (*known).cmp(name)).ok()?;
        self.all.get(at).map(|(_, text)| text)
    }

    /// The text of this name.
    pub fn text(&self, name: &str) -> &'static Text {
        let found = self.find(name);
        debug_assert!(found.is_some(), "no text `{name}`");
        found.unwrap_or(&Text { sql: "", names: &[] })
    }
}

/// A text, and the values of its parameters.
#[derive(Clone, Debug)]
pub struct Query {
    /// The text's name.
    pub text: &'static str,
    /// The values, by their names.
    pub params: Params,
}

impl Query {
    /// The text of a name, with the values that `put` writes.
    pub fn new(text: &'static str, put: impl FnOnce(&mut Params)) -> Query {
        let mut params = Params::default();
        put(&mut params);
        Query { text, params }
    }
}

/// A statement of a write.
#[derive(Clone, Debug)]
pub enum Step {
    /// It must write a row, or the group conflicts.
    Write(Query),
    /// It may write any number of rows.
    Adjust(Query),
    /// It must find a row, or the group conflicts.
    Find(Query),
}

impl Step {
    /// The statement.
    pub fn query(&self) -> &Query {
        match self {
            Step::Write(query) | Step::Adjust(query) | Step::Find(query) => query,
        }
    }
}

/// The query of a want. For [`Want::Unused`] it finds numbers in use; see [`Reading`](gaps::Reading).
pub fn query(want: &Want) -> Query {
    match *want {
        Want::Tag(tag) => Query::new("tag", |to| to.text("tag", tag.as_str())),
        Want::Tags(page) => names("tags", page),
        Want::Fenced => Query::new("fenced", |_| {}),
        Want::Servers => Query::new("servers", |_| {}),
        Want::Positions(page) => names("positions", page),
        Want::NamespaceNames(page) => names("namespace_names", page),
        Want::Namespace(name) => of_namespace("namespace", &name, |_| {}),
        Want::Namespaces(page) => names("namespaces", page),
        Want::Worker(name, worker) => {
            of_namespace("worker", &name, |to| to.number("worker", worker.into()))
        }
        Want::Workers(name, page) => of_namespace("workers", &name, |to| {
            to.millis("after", page.after.map_or(-1, i64::from));
            to.number("limit", page.limit.into());
        }),
        Want::Mine(name, request) => of_namespace("mine", &name, |to| to.token("key", request)),
        Want::Own(name, owner) => of_namespace("own", &name, |to| to.text("owner", owner.as_str())),
        Want::Rested(name, count) => {
            of_namespace("rested", &name, |to| to.number("count", count as u64))
        }
        Want::Kept(name, count) => {
            of_namespace("kept", &name, |to| to.number("count", count as u64))
        }
        Want::Leaving { namespace, before, after } => of_namespace("leaving", &namespace, |to| {
            to.nested("before", |to| before.put(to));
            to.nested("after", |to| after.put(to));
        }),
        Want::Unused { namespace, from, .. } => {
            of_namespace("unused", &namespace, |to| to.big("from", from))
        }
    }
}

/// The statements of a write; `leaf`: where Leaf's own table keeps the tags.
pub fn steps(write: &Write, leaf: bool) -> Vec<Step> {
    match write {
        Write::Same(name, before) => {
            vec![Step::Find(of_namespace("namespace_same", name, |to| {
                to.before(&before.row.namespace);
            }))]
        }
        Write::Tag { tag, before, after } => {
            let write = |text| {
                Query::new(text, |to| {
                    to.text("tag", tag.as_str());
                    to.row(after);
                    before.inspect(|before| to.before(&before.row));
                })
            };
            if leaf {
                return leaf::steps(before.as_ref(), after, write);
            }
            let text = if before.is_some() { "tag_change" } else { "tag_add" };
            vec![Step::Write(write(text))]
        }
        Write::Namespace { namespace, before, after } => {
            let text = if before.is_some() { "namespace_change" } else { "namespace_add" };
            let write = of_namespace(text, namespace, |to| {
                to.row(after);
                before.inspect(|before| to.before(&before.row));
            });
            let mut steps = vec![Step::Write(write)];
            if before.is_none_or(|before| before.row.namespace != after.namespace) {
                let range = |to: &mut Params| after.namespace.workers.put(to);
                steps.push(Step::Adjust(of_namespace("range", namespace, range)));
            }
            steps
        }
        Write::Worker(write) => vec![Step::Write(worker(write))],
        Write::Fence { before, after } => {
            vec![Step::Write(Query::new("fence", |to| {
                to.big("generation", after.generation);
                to.millis("fenced_ms", after.at.get());
                to.millis("floor_ms", after.floor.get());
                to.big("was_generation", before.row.generation);
            }))]
        }
        Write::Server(write) if SERVERS => vec![Step::Write(server(write))],
        Write::Server(_) => Vec::new(),
        Write::Beat(now) => {
            vec![Step::Adjust(Query::new("beat", |to| to.millis("now", now.get())))]
        }
    }
}

fn server(write: &ServerWrite) -> Query {
    let (text, of) = match (&write.before, &write.after) {
        (None, after) => ("server_add", after.as_ref()),
        (Some(_), Some(after)) => ("server_change", Some(after)),
        (before, None) => ("server_remove", before.as_ref()),
    };
    Query::new(text, |to| {
        if let Some(server) = of {
            let (beat, record) = register::columns(server);
            to.token("server", server.id);
            to.text("beat", &beat);
            to.text("record", &record);
        }
        if let Some(before) = &write.before {
            to.text("was_beat", &before.beat.to_string());
        }
    })
}

fn worker(write: &WorkerWrite) -> Query {
    let after = write.after;
    let text = match write.before {
        None => "worker_add",
        Some(Seen { row: was, .. }) => {
            let renewed =
                WorkerRow { reserved_until: after.reserved_until, granted: after.granted, ..was };
            if after == renewed { "worker_renew" } else { "worker_change" }
        }
    };
    of_namespace(text, &write.namespace, |to| {
        to.number("worker", write.worker.into());
        to.row(&after);
        write.before.inspect(|before| to.before(&before.row));
    })
}

fn names(text: &'static str, page: Page<Name>) -> Query {
    Query::new(text, |to| {
        to.text("after", page.after.unwrap_or(Name::EMPTY).as_str());
        to.number("limit", page.limit.into());
    })
}

fn of_namespace(text: &'static str, name: &Name, put: impl FnOnce(&mut Params)) -> Query {
    Query::new(text, |to| {
        to.text("namespace", name.as_str());
        put(to);
    })
}

/// The answer in the rows of a result; a row that cannot be read gives [`Answer::Unreadable`]. `leaf`: where
/// Leaf's own table keeps the tags.
pub fn answered(want: &Want, asked: &Query, rows: &[impl Source], leaf: bool) -> Answer {
    let mut answer = Answer::none(want);
    for row in rows {
        if let Err(odd) = gather(&mut answer, row) {
            return Answer::Unreadable(unreadable(asked, &odd));
        }
        if let (Want::Tag(tag), true) = (want, leaf) {
            answer = leaf::judged(tag, answer, row);
        }
    }
    answer
}

/// Adds a row to an answer.
///
/// # Errors
/// Which value is none of ours.
pub fn gather(answer: &mut Answer, row: &impl Source) -> Result<(), String> {
    let from = &mut Columns::of(row);
    take(answer, from).map_err(|refusal| from.odd(refusal.code))
}

fn take(answer: &mut Answer, from: &mut Columns<'_, impl Source>) -> Result<(), Refusal> {
    // Leaf's table may have names that we would refuse: they are listed as they are.
    let any = |text: &str| Name::tag(text).or_else(|_| Name::owner(text));
    match answer {
        Answer::Tag(found) => *found = Some(seen(TagRow::get(from)?)),
        Answer::Namespace(found) => *found = Some(seen(NamespaceRow::get(from)?)),
        Answer::Tags(rows) => {
            rows.push((named("tag", from, any)?, TagRow::get(from)?));
        }
        Answer::Namespaces(rows) => {
            rows.push((named("namespace", from, Name::namespace)?, Namespace::get(from)?));
        }
        Answer::Names(names) => {
            names.push(named("name", from, any)?);
        }
        Answer::Positions(rows) => {
            rows.push((named("name", from, any)?, need(from.number("max_id")?)?));
        }
        Answer::Servers(rows) if SERVERS => {
            let id = need(from.token("server")?)?;
            let beat = need(from.text("beat", str::to_owned)?)?;
            let record = need(from.text("record", str::to_owned)?)?;
            let read = Server::read(id, &beat, &record, 0);
            rows.push(read.map_err(|_| Code::SchemaMismatch)?);
        }
        Answer::Fenced(found) => found.row = Fenced::get(from)?,
        Answer::Unused(used) => used.push(need(from.number("worker")?)?),
        Answer::Servers(_) | Answer::Unreadable(_) | Answer::Removed(_) => {}
        Answer::Workers(rows) => {
            let (worker, row) = Worker::get(from)?;
            rows.push((worker, seen(row)));
        }
    }
    Ok(())
}

/// The problem of a row that no program of ours writes.
pub fn unreadable(asked: &Query, odd: &str) -> Problem {
    let named = |name: &str| match asked.params.get(name) {
        Some(Value::Text(text)) => Some(format!("{name} `{text}`")),
        _ => None,
    };
    let what = ["tag", "namespace"].iter().find_map(|name| named(name));
    explain::odd_row(what.as_deref().unwrap_or("a list"), odd)
}

fn named(
    column: &'static str,
    from: &mut impl FieldReader,
    read: impl FnOnce(&str) -> Result<Name, Refusal>,
) -> Result<Name, Refusal> {
    need(from.text(column, read)?)?
}

fn seen<T>(row: T) -> Seen<T> {
    Seen { row, revision: 0 }
}

#[cfg(test)]
mod tests;
