//! `leafid tag …`

use std::iter;

use clap::{ArgGroup, Args, Subcommand};
use leafid_core::registry::TagSpec;
use leafid_core::{Code, LINE_END, Name};
use leafid_store::json::Writer;
use leafid_store::problem::Problem;
use leafid_wire::{FieldWriter, path};
use serde_json::{Value, json};

use super::adopt::FromMax;
use super::args::{number, step};
use super::client::{Client, Target};
use super::output::{remark, show};
use super::{Failure, complain};
use crate::routes::input::tag;

#[derive(Debug, Subcommand)]
pub enum Tag {
    /// Creates a tag
    Create(Create),
    /// Changes how many numbers a lease of a tag takes, or where the tag ends
    #[command(group(ArgGroup::new("change").required(true).multiple(true)
        .args(["step", "max_step", "until"])))]
    Set {
        /// The tag
        name: String,
        #[command(flatten)]
        limits: Limits,
        #[command(flatten)]
        target: Target,
    },
    /// Moves the position of a tag up: no number below is granted any more
    #[command(group(ArgGroup::new("where").required(true).args(["to", "from_max"])))]
    Advance {
        /// The tag
        name: String,
        /// The next number that it grants; not below the one that it stands at
        #[arg(long, value_name = "N", allow_negative_numbers = true, value_parser = number)]
        to: Option<u64>,
        #[command(flatten)]
        adopt: FromMax,
        #[command(flatten)]
        target: Target,
    },
    /// Deletes a tag; its position is kept, and a tag created under its name again goes on above it
    Delete {
        /// The tag
        name: String,
        #[command(flatten)]
        target: Target,
    },
    /// Lists the tags
    List(Target),
}

#[derive(Args, Debug)]
pub struct Create {
    /// The tag: letters, digits and `._:-`, a letter or digit first
    name: String,
    /// The first number [default: 1]
    #[arg(long, value_name = "N", allow_negative_numbers = true, value_parser = number,
          conflicts_with = "from_max")]
    from: Option<u64>,
    #[command(flatten)]
    adopt: FromMax,
    #[command(flatten)]
    limits: Limits,
    /// Succeeds also if the tag exists with its position at --from or above and the values of the other
    /// options; it is not changed
    #[arg(long)]
    if_missing: bool,
    #[command(flatten)]
    target: Target,
}

#[derive(Args, Clone, Copy, Debug)]
pub struct Limits {
    /// How many numbers a lease takes by default [a new tag: 1000]
    #[arg(long, value_name = "N", allow_negative_numbers = true, value_parser = step())]
    step: Option<u32>,
    /// How many numbers a lease takes at most [a new tag: 1000000]
    #[arg(long, value_name = "N", allow_negative_numbers = true, value_parser = step())]
    max_step: Option<u32>,
    /// The upper end: one more than the last number that may be granted, as in 2147483648 for a
    /// 32-bit column; `none` removes it
    #[arg(long, value_name = "N|none", allow_negative_numbers = true, value_parser = until)]
    until: Option<u64>,
}

impl Limits {
    fn with(self, from: Option<u64>) -> TagSpec {
        TagSpec { from, step: self.step, max_step: self.max_step, until: self.until }
    }
}

impl Tag {
    pub fn run(self) -> Result<(), Failure> {
        match self {
            Tag::Create(create) => create.run(),
            Tag::Set { name, limits, target } => {
                let (path, body) = (path::tag(tag(&name)?), Writer::object(&limits.with(None)));
                let row = target.connect()?.change(&path, body)?;
                show(&row, format_args!("tag `{name}`: {}", line(&row)))
            }
            Tag::Advance { name, to, adopt, target } => {
                let tag = tag(&name)?;
                let above = adopt.first(&name, target.store())?;
                let row = advance(&target.connect()?, &tag, to, above)?;
                show(&row, format_args!("tag `{name}` advanced: {}", line(&row)))
            }
            Tag::Delete { name, target } => {
                let path = path::tag(tag(&name)?);
                target.connect()?.call("DELETE", &path, String::new())?;
                let done = json!({ "tag": name, "deleted": true });
                let line = "deleted; created again, it goes on where it stood";
                show(&done, format_args!("tag `{name}` {line}"))
            }
            Tag::List(target) => list(target),
        }
    }
}

impl Create {
    fn run(self) -> Result<(), Failure> {
        let (name, path) = (&self.name, path::tag(tag(&self.name)?));
        // The end of every line stands for no upper end.
        let until = self.limits.until.filter(|until| *until != LINE_END);
        let limits = Limits { until, ..self.limits };
        let spec = limits.with(self.adopt.first(name, self.target.store())?.or(self.from));
        let client = self.target.connect()?;
        let (mut row, created) = match client.create(&path, Writer::object(&spec)) {
            Err(problem) if self.if_missing && problem.code == Code::TagExists => {
                let row = client.get(&path)?;
                fits(name, &spec, &row)?;
                (row, false)
            }
            made => (made?, true),
        };
        let what = if created { "created" } else { "exists already, nothing changed" };
        let line = format!("tag `{name}` {what}: {}", line(&row));
        row["created"] = created.into();
        show(&row, line)?;
        if let Some(then) = self.adopt.then(name) {
            remark(then)?;
        }
        if row["until"] == row["max_id"] {
            complain(format_args!(
                "leafid: tag `{name}` has no number to grant: it ends at its first one; raise its \
                 upper end: leafid tag set {name} --until N"
            ));
        }
        Ok(())
    }
}

fn big(row: &Value, field: &str) -> Option<u64> {
    row[field].as_str()?.parse().ok()
}

fn fits(name: &str, spec: &TagSpec, row: &Value) -> Result<(), Problem> {
    let mut other = Vec::new();
    if let (Some(from), Some(stands)) = (spec.from, big(row, "max_id"))
        && stands < from
    {
        other.push(format!("it stands at {stands}, below --from {from}"));
    }
    for (option, field, wanted) in [
        ("--step", "step", spec.step.map(u64::from)),
        ("--max-step", "max_step", spec.max_step.map(u64::from)),
        ("--until", "until", spec.until),
    ] {
        let is = text(row, field).unwrap_or("none".to_owned());
        if let Some(wanted) = wanted.filter(|wanted| wanted.to_string() != is) {
            other.push(format!("its {field} is {is}, not {option} {wanted}"));
        }
    }
    if other.is_empty() {
        return Ok(());
    }
    let detail = format!(
        "tag `{name}` exists already, and not as described: {}; change it (leafid tag set {name}, \
         leafid tag advance {name}), or leave these options out",
        other.join(", ")
    );
    Err(Problem::new(Code::TagExists, detail))
}

/// Moves a tag to a number, or past a table's largest; a tag that is above that already stays.
fn advance(
    client: &Client,
    tag: &Name,
    to: Option<u64>,
    above: Option<u64>,
) -> Result<Value, Problem> {
    let mut body = Writer::default();
    body.big("to", to.or(above).unwrap_or(0));
    client.call("POST", &path::advance(*tag), body.end()).or_else(|problem| {
        let row = above.and_then(|_| client.get(&path::tag(*tag)).ok());
        row.filter(|row| big(row, "max_id") >= above).ok_or(problem)
    })
}

fn list(target: Target) -> Result<(), Failure> {
    let rows = target.connect()?.list(path::TAGS, "tags", "tag")?;
    let head = ["tag", "next number", "step", "max_step", "until"].map(str::to_owned);
    let fields = ["tag", "max_id", "step", "max_step", "until"];
    let cells = |row| fields.map(|field| text(row, field).unwrap_or("-".to_owned()));
    let lines = iter::once(head).chain(rows.iter().map(cells));
    let lines = lines.map(|[tag, max_id, step, max_step, until]| {
        format!("{tag:<32} {max_id:>20} {step:>10} {max_step:>10} {until:>20}")
    });
    let lines: Vec<String> = lines.collect();
    show(&json!({ "tags": rows }), lines.join("\n"))
}

/// A field for a person; `None` for one without a value.
fn text(row: &Value, field: &str) -> Option<String> {
    match &row[field] {
        Value::Null => None,
        Value::String(text) => Some(text.clone()),
        other => Some(other.to_string()),
    }
}

/// Parses a number, or `none`, the end of every line.
fn until(text: &str) -> Result<u64, String> {
    match text {
        "none" => Ok(LINE_END),
        _ => number(text)
            .map_err(|_| "it is a whole number from 1 to 2^63 - 1, or `none`".to_owned()),
    }
}

fn line(row: &Value) -> String {
    let max_id = row["max_id"].as_str().unwrap_or("?");
    let until = text(row, "until").map_or_else(String::new, |until| format!(", until {until}"));
    format!("next number {max_id}, step {}, max_step {}{until}", row["step"], row["max_step"])
}
