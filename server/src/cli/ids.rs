//! `leafid next …` and `leafid decode …`

use clap::builder::RangedU64ValueParser;
use clap::{ArgGroup, Args};
use leafid_core::Layout;
use leafid_store::json::Writer;
use leafid_wire::{FieldWriter, path};
use serde_json::{Value, json};

use super::Failure;
use super::args::preset;
use super::client::Target;
use super::output::show;
use crate::routes::decode::write_parts;
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
    /// The preset of its layout: leaf, edge, long or js53
    #[arg(long, value_name = "PRESET", value_parser = preset, default_value = "leaf")]
    layout: Layout,
    /// The namespace whose layout it has, as the store says; without this, no store is asked
    #[arg(long, value_name = "NAME", conflicts_with = "layout")]
    namespace: Option<String>,
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
        let answer = match &self.namespace {
            Some(name) => {
                let path = format!("{}?namespace={}", path::decode(&self.id), namespace(name)?);
                self.target.connect()?.get(&path)?
            }
            None => {
                let mut writer = Writer::default();
                write_parts(&mut writer, &self.id, &self.layout)?;
                serde_json::from_str(&writer.end()).unwrap_or_default()
            }
        };
        let fields = ["id", "time", "time_ms", "worker", "sequence", "tick", "base32"];
        let lines = fields.map(|field| match &answer[field] {
            Value::String(text) => format!("{field:<9} {text}"),
            other => format!("{field:<9} {other}"),
        });
        show(&answer, lines.join("\n"))
    }
}
