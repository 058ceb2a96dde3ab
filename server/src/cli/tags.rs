//! `leafid tag …`

use clap::{ArgGroup, Args, Subcommand};
use leafid_core::registry::TagSpec;
use leafid_core::{Code, FieldWriter, LINE_END, Name};
use leafid_store::json::{Writer, shown};
use leafid_store::problem::Problem;
use leafid_wire::path;
use serde_json::{Value, json};

use super::adopt::FromMax;
use super::args::{number, step};
use super::client::{Client, Target};
use super::output::{is_json, show};
use super::{Failure, complain, say};

#[derive(Debug, Subcommand)]
pub enum Tag {
    /// Creates a tag
    Create(Create),
    /// Changes how many numbers a lease of a tag takes, or where the tag ends
    Set(Set),
    /// Moves the position of a tag up: no number below is granted any more
    Advance(Advance),
    /// Deletes a tag; its position is kept, and a tag created under its name again goes on above it
    Delete(Delete),
    /// Lists the tags
    List(List),
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
    /// How many numbers a lease takes by default [default: 1000]
    #[arg(long, value_name = "N", allow_negative_numbers = true, value_parser = step)]
    step: Option<u32>,
    /// How many numbers a lease takes at most [default: 1000000]
    #[arg(long, value_name = "N", allow_negative_numbers = true, value_parser = step)]
    max_step: Option<u32>,
    /// The upper end: one more than the last number that may be granted, as in 2147483648 for a
    /// 32-bit column [default: none]
    #[arg(long, value_name = "N", allow_negative_numbers = true, value_parser = until)]
    until: Option<u64>,
    /// Succeeds also if the tag exists with its position at --from or above and the values of the other
    /// options; it is not changed
    #[arg(long)]
    if_missing: bool,
    #[command(flatten)]
    target: Target,
}

#[derive(Args, Debug)]
#[command(group(ArgGroup::new("change").required(true).multiple(true)
    .args(["step", "max_step", "until"])))]
pub struct Set {
    /// The tag
    name: String,
    /// How many numbers a lease takes by default
    #[arg(long, value_name = "N", allow_negative_numbers = true, value_parser = step)]
    step: Option<u32>,
    /// How many numbers a lease takes at most
    #[arg(long, value_name = "N", allow_negative_numbers = true, value_parser = step)]
    max_step: Option<u32>,
    /// The upper end: one more than the last number that may be granted; `none` removes it
    #[arg(long, value_name = "N|none", allow_negative_numbers = true, value_parser = until)]
    until: Option<u64>,
    #[command(flatten)]
    target: Target,
}

#[derive(Args, Debug)]
#[command(group(ArgGroup::new("where").required(true).args(["to", "from_max"])))]
pub struct Advance {
    /// The tag
    name: String,
    /// The next number that it grants; not below the one that it stands at
    #[arg(long, value_name = "N", allow_negative_numbers = true, value_parser = number)]
    to: Option<u64>,
    #[command(flatten)]
    adopt: FromMax,
    #[command(flatten)]
    target: Target,
}

#[derive(Args, Debug)]
pub struct Delete {
    /// The tag
    name: String,
    #[command(flatten)]
    target: Target,
}

#[derive(Args, Debug)]
pub struct List {
    #[command(flatten)]
    target: Target,
}

impl Tag {
    /// Does it.
    pub fn run(self) -> Result<(), Failure> {
        match self {
            Tag::Create(create) => create.run(),
            Tag::Set(set) => set.run(),
            Tag::Advance(advance) => advance.run(),
            Tag::Delete(delete) => delete.run(),
            Tag::List(list) => list.run(),
        }
    }
}

impl Create {
    fn run(self) -> Result<(), Failure> {
        let path = path::tag(tag(&self.name)?);
        // The end of every line is what no upper end is.
        let until = self.until.filter(|until| *until != LINE_END);
        let from = self.adopt.first(&self.name, self.target.store())?.or(self.from);
        let spec = TagSpec { from, step: self.step, max_step: self.max_step, until };
        let name = &self.name;
        let then = self.adopt.then(name, self.target.given());
        let client = self.target.connect()?;
        let made = match client.call("PUT", &path, Some(Writer::object(&spec)), true) {
            Err(problem) if self.if_missing && problem.code == Code::TagExists => {
                client.call("GET", &path, None, false).and_then(|row| {
                    fits(name, &spec, &row)?;
                    Ok((row, false))
                })
            }
            made => made.map(|row| (row, true)),
        };
        client.close();
        let (row, created) = made?;
        let what = if created { "created" } else { "exists already, nothing changed" };
        show(with(&row, "created", created), format_args!("tag `{name}` {what}: {}", line(&row)))?;
        if let Some(then) = then.filter(|_| !is_json()) {
            say(then)?;
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

/// Whether the tag that is there is the one that was to be created.
fn fits(name: &str, spec: &TagSpec, row: &Value) -> Result<(), Problem> {
    let big = |field: &str| row[field].as_str().and_then(|text| text.parse::<u64>().ok());
    let mut other = Vec::new();
    if let (Some(from), Some(stands)) = (spec.from, big("max_id"))
        && stands < from
    {
        other.push(format!("it stands at {stands}, below --from {from}"));
    }
    for (option, field, wanted) in
        [("--step", "step", spec.step), ("--max-step", "max_step", spec.max_step)]
    {
        if let Some(wanted) = wanted.filter(|wanted| row[field] != *wanted) {
            other.push(format!("its {field} is {}, not {option} {wanted}", row[field]));
        }
    }
    if let Some(wanted) = spec.until.filter(|wanted| big("until") != Some(*wanted)) {
        let until = row["until"].as_str().unwrap_or("none");
        other.push(format!("its until is {until}, not --until {wanted}"));
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

impl Set {
    fn run(self) -> Result<(), Failure> {
        let (name, path) = (&self.name, path::tag(tag(&self.name)?));
        let Set { step, max_step, until, .. } = self;
        let body = Writer::object(&TagSpec { from: None, step, max_step, until });
        let client = self.target.connect()?;
        // A misspelt name is not created.
        let set = client.change(&path, body);
        client.close();
        let row = set?;
        show(row.clone(), format_args!("tag `{name}`: {}", line(&row)))
    }
}

impl Advance {
    fn run(self) -> Result<(), Failure> {
        let (name, tag) = (&self.name, tag(&self.name)?);
        let above = self.adopt.first(name, self.target.store())?;
        let client = self.target.connect()?;
        let row = advance(&client, &tag, self.to, above);
        client.close();
        let row = row?;
        show(row.clone(), format_args!("tag `{name}` advanced: {}", line(&row)))
    }
}

/// Moves a tag to a number, or past what a table has; where it stands above that already, it stays.
fn advance(
    client: &Client,
    tag: &Name,
    to: Option<u64>,
    above: Option<u64>,
) -> Result<Value, Problem> {
    let move_to = |to: u64| {
        let mut body = Writer::default();
        body.big("to", to);
        client.call("POST", &path::advance(*tag), Some(body.end()), false)
    };
    let Some(above) = above.filter(|_| to.is_none()) else {
        return move_to(to.unwrap_or(0));
    };
    let row = || client.call("GET", &path::tag(*tag), None, false);
    let stands = |row: &Value| row["max_id"].as_str().and_then(|text| text.parse::<u64>().ok());
    let is_above = |row: &Value| stands(row).is_some_and(|stands| stands >= above);
    let before = row()?;
    if is_above(&before) {
        return Ok(before);
    }
    // Others may have leased so much meanwhile that it is there by itself.
    move_to(above).or_else(|problem| row().ok().filter(is_above).ok_or(problem))
}

impl Delete {
    fn run(self) -> Result<(), Failure> {
        let (name, path) = (&self.name, path::tag(tag(&self.name)?));
        let client = self.target.connect()?;
        let deleted = client.call("DELETE", &path, None, false);
        client.close();
        deleted?;
        let line = format_args!("tag `{name}` deleted; created again, it goes on where it stood");
        show(json!({ "tag": name, "deleted": true }), line)
    }
}

impl List {
    fn run(self) -> Result<(), Failure> {
        let client = self.target.connect()?;
        let rows = client.list(path::TAGS, "tags", "tag");
        client.close();
        let rows = rows?;
        if is_json() {
            return say(json!({ "tags": rows }));
        }
        let heads = ["next number", "step", "max_step", "until"];
        row("tag", heads.map(str::to_owned))?;
        for listed in rows {
            let fields =
                ["max_id", "step", "max_step", "until"].map(|field| match &listed[field] {
                    Value::Null => "-".to_owned(),
                    Value::String(text) => text.clone(),
                    other => other.to_string(),
                });
            row(listed["tag"].as_str().unwrap_or("?"), fields)?;
        }
        Ok(())
    }
}

fn row(tag: &str, [max_id, step, max_step, until]: [String; 4]) -> Result<(), Failure> {
    say(format_args!("{tag:<32} {max_id:>20} {step:>10} {max_step:>10} {until:>20}"))
}

/// A tag, whose name is right.
///
/// # Errors
/// `TAG_INVALID`.
pub fn tag(name: &str) -> Result<Name, Problem> {
    Name::tag(name).map_err(|refusal| {
        let advice = refusal.code.advice();
        let detail = format!("`{}` is not a valid name for a tag: {advice}", shown(name));
        Problem::new(Code::TagInvalid, detail)
    })
}

/// A number, or `none`, which is the end of every line.
fn until(text: &str) -> Result<u64, String> {
    match text {
        "none" => Ok(LINE_END),
        _ => number(text)
            .map_err(|_| "it is a whole number from 1 to 2^63 - 1, or `none`".to_owned()),
    }
}

/// A row with a field more.
pub fn with(row: &Value, field: &str, value: impl Into<Value>) -> Value {
    let mut row = row.clone();
    row[field] = value.into();
    row
}

fn line(row: &Value) -> String {
    let max_id = row["max_id"].as_str().unwrap_or("?");
    let line = format!("next number {max_id}, step {}, max_step {}", row["step"], row["max_step"]);
    match row["until"].as_str() {
        Some(until) => format!("{line}, until {until}"),
        None => line,
    }
}
