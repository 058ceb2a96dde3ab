//! `leafid tag …`

use clap::{Args, Subcommand};
use leafid_core::{Code, FieldWriter};

use super::args::{number, whole};
use super::client::Target;
use super::{Failure, say};
use crate::json::Writer;
use crate::problem::Problem;

#[derive(Debug, Subcommand)]
pub enum Tag {
    /// Creates a tag
    Create(Create),
    /// Lists the tags
    List(List),
}

#[derive(Args, Debug)]
pub struct Create {
    /// The tag: letters, digits and `._:-`, a letter or digit first
    name: String,
    /// The first number [default: 1]
    #[arg(long, value_name = "N", value_parser = number)]
    from: Option<u64>,
    /// How many numbers a lease takes by default [default: 1000]
    #[arg(long, value_name = "N", value_parser = whole)]
    step: Option<u32>,
    /// How many numbers a lease takes at most [default: 1000000]
    #[arg(long, value_name = "N", value_parser = whole)]
    max_step: Option<u32>,
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
            Tag::List(list) => list.run(),
        }
    }
}

impl Create {
    fn run(self) -> Result<(), Failure> {
        let name = &self.name;
        let tag = leafid_core::Name::tag(name).map_err(|refusal| {
            let detail =
                format!("`{name}` is not a valid name for a tag: {}", refusal.code.advice());
            Problem::new(Code::TagInvalid, detail)
        })?;
        let mut change = Writer::default();
        self.from.inspect(|from| change.big("from", *from));
        self.step.inspect(|step| change.number("step", u64::from(*step)));
        self.max_step.inspect(|most| change.number("max_step", u64::from(*most)));
        let client = self.target.connect()?;
        let made = client.call("PUT", &format!("/v1/tags/{tag}"), Some(change.end()), true);
        client.close();
        let made = made?;
        say(format_args!(
            "tag `{tag}` created: next number {}, step {}, max_step {}",
            made["max_id"].as_str().unwrap_or("?"),
            made["step"],
            made["max_step"]
        ))?;
        Ok(())
    }
}

impl List {
    fn run(self) -> Result<(), Failure> {
        let client = self.target.connect()?;
        let rows = client.list("/v1/tags", "tags", "tag")?;
        client.close();
        say(format_args!("{:<32} {:>20} {:>10} {:>10}", "tag", "next number", "step", "max_step"))?;
        for row in rows {
            say(format_args!(
                "{:<32} {:>20} {:>10} {:>10}",
                row["tag"].as_str().unwrap_or("?"),
                row["max_id"].as_str().unwrap_or("?"),
                row["step"].to_string(),
                row["max_step"].to_string()
            ))?;
        }
        Ok(())
    }
}
