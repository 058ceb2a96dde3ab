//! The changes that make the store match the file.

use leafid_core::registry::{MAX_WINDOW_CAP_MS, Namespace, TagRow, TagSpec};
use leafid_core::{Code, Layout, Name, Range};
use leafid_store::json::Reader;
use leafid_store::problem::Problem;
use leafid_store::registry::explain;
use leafid_store::store::{NamespaceChange, TagChange};
use leafid_wire::{Fields, advice, http_status, path};
use serde_json::{Map, Value, json};

use super::file::{Change, Wanted};
use crate::cli::client::Client;
use crate::cli::invalid;

/// The change that makes one tag or namespace match the file.
pub struct Plan<'w> {
    wanted: &'w Wanted,
    /// `create` or `change`; `None` if it matches already.
    pub verb: Option<&'static str>,
    /// Each field that changes, with its value `from` and `to`.
    fields: Map<String, Value>,
}

impl std::fmt::Display for Plan<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}", self.wanted)?;
        for (at, (field, change)) in self.fields.iter().enumerate() {
            let (sign, from, to) =
                (if at == 0 { ':' } else { ',' }, &change["from"], &change["to"]);
            write!(f, "{sign} {field} {} → {}", words(from), words(to))?;
        }
        Ok(())
    }
}

pub fn all<'w>(client: &Client, wanted: &'w [Wanted]) -> Result<Vec<Plan<'w>>, Problem> {
    let (mut plans, mut refused) = (Vec::new(), Vec::new());
    for wanted in wanted {
        let row = match client.get(&wanted.path) {
            Ok(row) => Some(row),
            Err(problem) if http_status(problem.code) == Some(404) => None,
            Err(problem) => return Err(problem),
        };
        let why = match &wanted.change {
            Change::Tag(change) => refuses_tag(&wanted.name, change, row.as_ref()),
            Change::Namespace(change) => refuses_namespace(client, wanted, change, row.as_ref())?,
        };
        match why {
            Some(why) => refused.push(format!("{wanted}: {why}")),
            None => plans.push(Plan::of(wanted, row.as_ref())),
        }
    }
    if refused.is_empty() {
        return Ok(plans);
    }
    let detail = format!(
        "{} of {} are impossible as the file has them, so nothing was done: {}",
        refused.len(),
        wanted.len(),
        refused.join("; ")
    );
    Err(invalid(detail))
}

impl<'w> Plan<'w> {
    /// The plan as JSON.
    pub fn json(&self) -> Value {
        let Wanted { kind, name, .. } = self.wanted;
        let step = self.verb.unwrap_or("keep");
        let mut value = json!({ "kind": kind, "name": name.as_str(), "step": step });
        if self.verb == Some("change") {
            value["fields"] = Value::Object(self.fields.clone());
        }
        value
    }

    /// Sends the change. Fails if the row has changed since it was read, or the store cannot be reached.
    pub fn carry_out(&self, client: &Client) -> Result<(), Problem> {
        let Wanted { path, fields, .. } = self.wanted;
        let mut fields = fields.clone();
        if self.verb == Some("create") {
            return client.create(path, Value::Object(fields).to_string()).map(drop);
        }
        // An existing tag keeps its position.
        fields.remove("from");
        client.change(path, Value::Object(fields).to_string()).map(drop)
    }

    /// Compares the file's entry with the row.
    fn of(wanted: &'w Wanted, row: Option<&Value>) -> Plan<'w> {
        let fields = row.map(|row| changes(&wanted.fields, row)).unwrap_or_default();
        let verb = match row {
            None => Some("create"),
            Some(_) => (!fields.is_empty()).then_some("change"),
        };
        Plan { wanted, verb, fields }
    }
}

/// The fields that differ from the row, which has no `from`: that counts only when a tag is created.
fn changes(fields: &Map<String, Value>, row: &Value) -> Map<String, Value> {
    let is_same = |one: &Value, other: &Value| {
        one == other || one.as_f64().is_some_and(|one| other.as_f64() == Some(one))
    };
    let fields = fields.iter().filter(|(field, _)| *field != "from");
    let fields = fields.map(|(field, value)| (field, value, &row[field.as_str()]));
    let other = fields.filter(|(_, value, now)| !is_same(value, now));
    other.map(|(field, to, from)| (field.clone(), json!({ "from": from, "to": to }))).collect()
}

/// A value for a person: a range as `0..64`, anything else as JSON.
fn words(value: &Value) -> String {
    match (&value["start"], &value["end"]) {
        (Value::Number(start), Value::Number(end)) => format!("{start}..{end}"),
        _ => value.to_string(),
    }
}

fn refuses_tag(name: &Name, change: &TagChange, row: Option<&Value>) -> Option<String> {
    let row = stored::<TagRow>(row);
    if let (Some(from), Some(stands_at)) = (change.from, row.map(|row| row.max_id))
        && from > stands_at
    {
        return Some(format!(
            "its next number is {stands_at}, below the file's `from` {from}, which counts only when \
             a tag is created; drop `from` from the file, or move the tag: leafid tag advance \
             {name} --to {from}"
        ));
    }
    let decided = match row {
        Some(row) => row.with(&TagSpec { from: None, ..change.spec() }),
        None => TagRow::create(None, &change.spec()),
    };
    let problem = |refusal| explain::tag_change(refusal, name, change, row.as_ref());
    decided.err().map(|refusal| problem(refusal).detail)
}

/// The row in the API's answer.
fn stored<T: Fields>(row: Option<&Value>) -> Option<T> {
    Reader::new(row?.as_object()?.clone()).known(T::get).ok()
}

fn refuses_namespace(
    client: &Client,
    wanted: &Wanted,
    change: &NamespaceChange,
    row: Option<&Value>,
) -> Result<Option<String>, Problem> {
    let row = stored::<Namespace>(row);
    let layout = change.layout.or(row.map(|row| row.layout)).unwrap_or(Layout::LEAF);
    let workers = change.workers.or(row.map(|row| row.workers));
    let max_window_ms = change.max_window_ms.or(row.map(|row| row.max_window_ms));
    let after = match Namespace::create(layout, workers, max_window_ms) {
        Ok(after) => after,
        Err(refusal) => return Ok(Some(cannot_be(refusal.code, &layout, workers))),
    };
    let Some(row) = row else { return Ok(None) };
    if row.layout == after.layout && row.max_window_ms == after.max_window_ms {
        return Ok(None);
    }
    let used = client.get(&format!("{}?limit=1", path::workers(wanted.name)))?;
    let used = used["workers"].as_array().is_some_and(|rows| !rows.is_empty());
    Ok(used.then(|| {
        "it has granted windows, so its layout and its longest window cannot change any more; \
         create another namespace"
            .to_owned()
    }))
}

fn cannot_be(code: Code, layout: &Layout, workers: Option<Range>) -> String {
    match (code, workers) {
        (Code::WorkerInvalid, Some(Range { start, end })) => format!(
            "workers {start}..{end} do not fit; use at least one number, and none outside the \
             layout's 0..{}",
            layout.workers()
        ),
        (code, _) => {
            format!("{}; a longest window lasts 1000 to {MAX_WINDOW_CAP_MS} ms", advice(code))
        }
    }
}
