//! `leafid next …` and `leafid decode …`

use clap::builder::RangedU64ValueParser;
use clap::{ArgGroup, Args};
use leafid_core::Text;
use leafid_store::json::Writer;
use leafid_store::problem::Problem;
use leafid_wire::{FieldWriter, path};
use serde_json::{Value, json};

use super::Failure;
use super::client::Target;
use super::output::show;
use crate::routes::decode::not_an_id;
use crate::routes::input::{namespace, tag};
use leafid_store::dispense::MOST;

#[derive(Args, Debug)]
#[command(group(ArgGroup::new("line").required(true).args(["tag", "namespace"])))]
pub struct Next {
    /// The tag to take numbers from
    tag: Option<String>,
    /// The namespace to take snowflake IDs from
    #[arg(long, value_name = "NAME")]
    namespace: Option<String>,
    /// How many IDs
    #[arg(short = 'n', long, value_name = "N", default_value_t = 1, allow_negative_numbers = true, value_parser = RangedU64ValueParser::<u32>::new().range(1..=MOST))]
    count: u32,
    #[command(flatten)]
    target: Target,
}

#[derive(Args, Debug)]
pub struct Decode {
    /// The ID, in decimal digits
    #[arg(allow_negative_numbers = true)]
    id: String,
    /// The namespace whose layout it has
    #[arg(long, value_name = "NAME", default_value = "default")]
    namespace: String,
    #[command(flatten)]
    target: Target,
}

impl Next {
    pub fn run(self) -> Result<(), Failure> {
        let path = match (&self.tag, &self.namespace) {
            (Some(name), _) => path::numbers(tag(name)?),
            (None, name) => path::snowflakes(namespace(name.as_deref().unwrap_or("default"))?),
        };
        let mut body = Writer::default();
        body.number("count", self.count.into());
        let answer = self.target.connect()?.call("POST", &path, body.end())?;
        let ids = answer["ids"].as_array().into_iter().flatten();
        let ids: Vec<&str> = ids.map(|id| id.as_str().unwrap_or("?")).collect();
        show(&json!({ "ids": ids }), ids.join("\n"))
    }
}

impl Decode {
    pub fn run(self) -> Result<(), Failure> {
        let space = namespace(&self.namespace)?;
        let id = Text::parse_decimal(&self.id)
            .map_err(|refusal| Problem::new(refusal.code, not_an_id(&self.id)))?;
        let path = format!("{}?namespace={space}", path::decode(id));
        let answer = self.target.connect()?.get(&path)?;
        let fields = ["id", "time", "time_ms", "worker", "sequence", "tick", "base32"];
        let lines = fields.map(|field| match &answer[field] {
            Value::String(text) => format!("{field:<9} {text}"),
            other => format!("{field:<9} {other}"),
        });
        show(&answer, lines.join("\n"))
    }
}
