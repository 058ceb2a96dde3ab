//! `leafid next …` and `leafid decode …`

use clap::{ArgGroup, Args};
use leafid_core::{Code, FieldWriter, Layout, Name};
use leafid_store::json::{Writer, shown};
use leafid_store::problem::Problem;
use leafid_wire::path;
use serde_json::{Value, json};

use super::args::{count, preset};
use super::client::Target;
use super::output::is_json;
use super::{Failure, say};
use crate::routes::decode::{not_an_id, parts, put_parts};

#[derive(Args, Debug)]
#[command(group(ArgGroup::new("line").required(true).args(["tag", "namespace"])))]
pub struct Next {
    /// The tag to take numbers from
    tag: Option<String>,
    /// The namespace to take snowflake IDs from
    #[arg(long, value_name = "NAME")]
    namespace: Option<String>,
    /// How many IDs
    #[arg(short = 'n', long, value_name = "N", default_value_t = 1, allow_negative_numbers = true, value_parser = count)]
    count: u32,
    #[command(flatten)]
    target: Target,
}

#[derive(Args, Debug)]
pub struct Decode {
    /// The ID, in decimal digits
    #[arg(allow_negative_numbers = true)]
    id: String,
    /// The namespace whose layout it has [default: default]
    #[arg(long, value_name = "NAME", conflicts_with = "layout")]
    namespace: Option<String>,
    /// Decodes by this preset, without asking a store: leaf, edge, long or js53
    #[arg(long, value_name = "PRESET", value_parser = preset)]
    layout: Option<Layout>,
    #[command(flatten)]
    target: Target,
}

impl Next {
    /// One ID per line.
    pub fn run(self) -> Result<(), Failure> {
        let path = match (&self.tag, &self.namespace) {
            (Some(tag), _) => path::numbers(name(tag, Name::tag)?),
            (None, space) => {
                let space = space.as_deref().unwrap_or("default");
                path::snowflakes(name(space, Name::namespace)?)
            }
        };
        let mut body = Writer::default();
        body.number("count", self.count.into());
        let client = self.target.connect()?;
        let answer = client.call("POST", &path, Some(body.end()), false);
        client.close();
        let answer = answer?;
        if is_json() {
            return say(json!({ "ids": answer["ids"] }));
        }
        for id in answer["ids"].as_array().into_iter().flatten() {
            say(id.as_str().unwrap_or("?"))?;
        }
        Ok(())
    }
}

impl Decode {
    /// A line per part.
    pub fn run(self) -> Result<(), Failure> {
        let answer = match self.layout {
            Some(layout) => {
                let mut writer = Writer::default();
                put_parts(&mut writer, parts(&self.id, &layout)?, &layout, None);
                serde_json::from_str(&writer.end()).unwrap_or(Value::Null)
            }
            None => self.ask()?,
        };
        if is_json() {
            return say(answer);
        }
        for field in ["id", "time", "time_ms", "worker", "sequence", "tick", "base32"] {
            let text =
                answer[field].as_str().map_or_else(|| answer[field].to_string(), str::to_owned);
            say(format_args!("{field:<9} {text}"))?;
        }
        Ok(())
    }

    fn ask(self) -> Result<Value, Failure> {
        let space = name(self.namespace.as_deref().unwrap_or("default"), Name::namespace)?;
        let id = leafid_core::Text::parse_decimal(&self.id)
            .map_err(|refusal| Problem::new(refusal.code, not_an_id(&self.id)))?;
        let client = self.target.connect()?;
        let path = format!("{}?namespace={space}", path::decode(id));
        let answer = client.call("GET", &path, None, false);
        client.close();
        Ok(answer?)
    }
}

fn name(
    text: &str,
    read: impl FnOnce(&str) -> Result<Name, leafid_core::Refusal>,
) -> Result<Name, Failure> {
    read(text).map_err(|refusal| {
        let code: Code = refusal.code;
        Failure::Problem(Problem::new(code, format!("`{}`: {}", shown(text), code.advice())))
    })
}
