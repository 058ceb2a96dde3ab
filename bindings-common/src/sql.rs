//! A request to a store over SQL as plain objects, for a host with its own SQL texts and driver. No state is
//! kept between calls: each call decides again on all rows read so far.

use alloc::borrow::{Cow, ToOwned as _};
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;

use leafid_core::{Code, Refusal, StoreTime, Token};
use leafid_turn::alone::Alone;
use leafid_turn::guest::{Guest, Waits};
use leafid_turn::problem::Problem;
use leafid_turn::sql::columns::{self, Value as Column};
use leafid_turn::sql::{Query, Step};
use leafid_wire::{FieldReader as _, FieldWriter as _, strict};

use crate::answer::Answer;
use crate::object::{Object, Reading, Value, Writing};
use crate::source::{Wrong, read_with};
use crate::turn::{self, Reply};

/// The next step of a request.
#[derive(Debug, Default)]
pub struct Turned {
    /// The queries to run next; empty once the request is decided.
    pub reads: Vec<Query>,
    /// The statements to run in one transaction.
    pub steps: Vec<Step>,
    /// What the answer waits for once that is durable: ask `noted` until it is.
    pub waits: Option<Waits>,
    /// What a journal of hosts has to note before the answer; empty for nothing.
    #[cfg(feature = "servers")]
    pub changes: String,
    /// The reply to give when the transaction is durable. `None`: start the request over then, because it has
    /// to see its own change.
    pub answer: Option<Result<Reply, Problem>>,
}

/// Decides a request on the rows read so far. `call` has the store's id (`store`), its time in ms
/// (`now`), whether Leaf's table keeps the tags (`leaf`), the `guest` whose request it is where the store may have
/// servers (`id`, `salt`, `name`), and the rows of each query so far (`found`). Lists are linked: `{ …, next }`.
///
/// # Errors
/// A field that cannot be read.
pub fn turned<O: Object>(verb: &str, ask: O, call: O) -> Result<Turned, Wrong> {
    let mut found =
        chained(call.get("found")).into_iter().map(rows).collect::<Vec<_>>().into_iter();
    let (store, now, leaf, guest) = read_with(Reading::new(call), "call", |from| {
        let need = || Refusal::from(Code::RequestInvalid);
        let store = from.text("store", Token::parse)?.transpose()?.ok_or_else(need)?;
        let now = from.millis("now")?.map(StoreTime::new).ok_or_else(need)?;
        let guest = from.nested("guest", |from| {
            let id = from.token("id")?.ok_or_else(need)?;
            let salt = from.small("salt")?.ok_or_else(need)?;
            let name = from.text("name", str::to_owned)?.ok_or_else(need)?;
            Ok(Guest { id, salt, name })
        })?;
        Ok((store, now, from.flag("leaf")?.unwrap_or(false), guest))
    })?;
    let decide = turn::request(verb, Reading::new(ask))?;
    let mut alone = Alone::new(leaf, store, now, guest, decide);
    loop {
        let reads = alone.reads();
        if reads.is_empty() {
            break;
        }
        let read: Vec<Vec<Row>> = found.by_ref().take(reads.len()).collect();
        if read.len() < reads.len() {
            return Ok(Turned { reads, ..Turned::default() });
        }
        alone.learn(&read);
    }
    let (steps, waits) = (alone.steps(), alone.waits());
    #[cfg(feature = "servers")]
    let changes = turn::changes(&alone);
    let answer = if alone.is_again() { None } else { Some(alone.answer()) };
    Ok(Turned {
        steps,
        waits,
        #[cfg(feature = "servers")]
        changes,
        answer,
        ..Turned::default()
    })
}

/// `{ reads }`; or `{ steps }`, and `answer` or `refused`, and `waits` where servers have to note it, and
/// `changes` for a journal.
impl Answer for Turned {
    fn put<O: Object>(&self, to: &mut Writing<O>) {
        put_chain(to, "reads", &self.reads, put_query);
        put_chain(to, "steps", &self.steps, |step, to| {
            put_query(step.query(), to);
            let must = match step {
                Step::Write(_) => "write",
                Step::Find(_) => "find",
                Step::Adjust(_) => "nothing",
            };
            to.text("must", must);
        });
        if let Some(Waits { beat, generation }) = self.waits {
            to.nested("waits", |to| {
                to.text("beat", &format!("{beat}"));
                to.number("generation", generation);
            });
        }
        #[cfg(feature = "servers")]
        if !self.changes.is_empty() {
            to.text("changes", &self.changes);
        }
        match &self.answer {
            Some(Ok(reply)) => to.nested("answer", |to| reply.put(to)),
            Some(Err(problem)) => to.nested("refused", |to| {
                to.text("code", problem.code.as_str());
                to.text("message", &problem.detail);
                if let (Some(free_at), Some(ms)) = (problem.free_at, problem.retry_after_ms) {
                    to.millis("until", free_at.get());
                    to.number("retry_after", ms.into());
                }
            }),
            None => {}
        }
    }
}

fn put_query<O: Object>(query: &Query, to: &mut Writing<O>) {
    to.text("text", query.text);
    let params: Vec<_> = query.params.all().collect();
    put_chain(to, "params", &params, |(name, value), to| {
        to.text("name", name);
        to.0.set(
            "value",
            match value {
                Column::Int(value) if value.unsigned_abs() < 1 << 53 => {
                    Value::Number(*value as f64)
                }
                Column::Int(value) => Value::Owned(format!("{value}")),
                Column::TooLarge(value) => Value::Owned(format!("{value}")),
                Column::Flag(value) => Value::Number(f64::from(*value)),
                Column::Text(text) => Value::Text(text),
                Column::Token(token) => Value::Owned(leafid_turn::hex(*token)),
                Column::Null => Value::Absent,
            },
        );
    });
}

fn put_chain<O: Object, T>(
    to: &mut Writing<O>,
    field: &'static str,
    items: &[T],
    put: impl Fn(&T, &mut Writing<O>),
) {
    let mut next = None;
    for item in items.iter().rev() {
        let Some(mut object) = to.0.empty().map(Writing) else { return };
        put(item, &mut object);
        if let Some(next) = next {
            object.0.set("next", Value::Object(next));
        }
        next = Some(object.0);
    }
    if let Some(first) = next {
        to.0.set(field, Value::Object(first));
    }
}

fn chained<O: Object>(mut next: Value<'static, O>) -> Vec<O> {
    let mut list = Vec::new();
    while let Value::Object(item) = next {
        next = item.get("next");
        list.push(item);
    }
    list
}

fn rows<O: Object>(found: O) -> Vec<Row> {
    chained(found.get("rows")).iter().map(Row::of).collect()
}

/// A row from a driver. Numbers may be decimal text; tokens are hex digits.
#[derive(Debug)]
pub struct Row(pub Vec<(String, Option<Column<'static>>)>);

impl Row {
    fn of<O: Object>(row: &O) -> Row {
        let columns = chained(row.get("columns")).into_iter().filter_map(|column| {
            let Value::Owned(name) = column.get("name") else { return None };
            let value = read(&name, column.get("value"));
            Some((name, value))
        });
        Row(columns.collect())
    }
}

fn read<O>(name: &str, value: Value<'static, O>) -> Option<Column<'static>> {
    match value {
        Value::Absent => Some(Column::Null),
        Value::Flag(flag) => Some(Column::Flag(flag)),
        Value::Number(number) => strict::double(number).ok().map(Column::Int),
        Value::Big(big) => i64::try_from(big).ok().map(Column::Int),
        Value::Moment(number) => Some(Column::Int(number)),
        Value::Owned(text) if matches!(name, "key" | "server") => match Token::parse(&text) {
            Ok(key) => Some(Column::Token(key)),
            Err(_) if text.is_empty() => Some(Column::Null),
            Err(_) => Some(Column::Text(Cow::Owned(text))),
        },
        Value::Owned(text) if matches!(name, "tag" | "namespace" | "owner" | "beat" | "record") => {
            Some(Column::Text(Cow::Owned(text)))
        }
        Value::Owned(text) => {
            Some(text.parse().map_or(Column::Text(Cow::Owned(text)), Column::Int))
        }
        Value::Text(_) | Value::Object(_) | Value::Other => None,
    }
}

impl columns::Source for Row {
    fn columns(&self) -> usize {
        self.0.len()
    }

    fn name(&self, column: usize) -> Option<&str> {
        self.0.get(column).map(|(name, _)| name.as_str())
    }

    fn value(&self, column: usize) -> Option<Column<'_>> {
        self.0.get(column)?.1.clone()
    }
}
