//! `leafid next` and `leafid decode`: IDs, and what they are made of.

use leafid_core::{Code, Name, Put};
use serde_json::Value;

use super::args::{Arg, Args, preset, unexpected};
use super::client::Target;
use super::{Failure, say};
use crate::json::{Writer, shown};
use crate::problem::Problem;
use crate::routes::decode::{parts, put_parts};

/// `leafid next TAG`, `leafid next --namespace NAME`, with `--count N`: one ID per line.
pub fn next(mut args: Args) -> Result<(), Failure> {
    let (mut target, mut tag, mut namespace, mut count) = (Target::default(), None, None, 1);
    while let Some(arg) = args.next()? {
        match &arg {
            Arg::Flag(flag) if flag == "namespace" => namespace = Some(args.value()?),
            Arg::Flag(flag) if flag == "count" => count = args.read::<u32>(flag, "a number")?,
            Arg::Flag(flag) if target.take(flag, &mut args)? => {}
            Arg::Word(word) if tag.is_none() => tag = Some(word.clone()),
            _ => return Err(unexpected(&arg)),
        }
    }
    let path = match (tag, namespace) {
        (Some(tag), None) => format!("/v1/segments/{}/ids", name(&tag, Name::tag)?),
        (None, Some(space)) => format!("/v1/snowflake/{}/ids", name(&space, Name::namespace)?),
        _ => return Err(Failure::Usage("name a tag, or a namespace by --namespace".into())),
    };
    let mut body = Writer::default();
    body.number("count", count.into());
    let client = target.connect()?;
    let answer = client.call("POST", &path, Some(body.end()), false);
    client.close();
    for id in answer?["ids"].as_array().into_iter().flatten() {
        say(id.as_str().unwrap_or("?"));
    }
    Ok(())
}

/// `leafid decode ID [--namespace NAME | --layout PRESET]`
pub fn decode(mut args: Args) -> Result<(), Failure> {
    let (mut target, mut id, mut namespace, mut layout) = (Target::default(), None, None, None);
    while let Some(arg) = args.next()? {
        match &arg {
            Arg::Flag(flag) if flag == "namespace" => namespace = Some(args.value()?),
            Arg::Flag(flag) if flag == "layout" => {
                layout = Some(args.read_by(flag, "one of leaf, edge, long, js53", preset)?);
            }
            Arg::Flag(flag) if target.take(flag, &mut args)? => {}
            Arg::Word(word) if id.is_none() => id = Some(word.clone()),
            _ => return Err(unexpected(&arg)),
        }
    }
    let Some(id) = id else { return Err(Failure::Usage("the ID is missing".into())) };
    let answer = match (namespace, layout) {
        (Some(_), Some(_)) => {
            return Err(Failure::Usage(
                "--namespace has a layout of its own: leave --layout".into(),
            ));
        }
        (None, Some(layout)) => {
            let mut writer = Writer::default();
            put_parts(&mut writer, parts(&id, &layout)?, &layout, None);
            serde_json::from_str(&writer.end()).unwrap_or(Value::Null)
        }
        (namespace, None) => {
            let space = name(namespace.as_deref().unwrap_or("default"), Name::namespace)?;
            let id = leafid_core::Text::parse_decimal(&id).map_err(|refusal| {
                let detail = format!("`{}` is no ID in decimal digits", shown(&id));
                Problem::new(refusal.code, detail)
            })?;
            let client = target.connect()?;
            let path = format!("/v1/decode/{id}?namespace={space}");
            let answer = client.call("GET", &path, None, false);
            client.close();
            answer?
        }
    };
    for field in ["id", "time", "time_ms", "worker", "sequence", "tick", "base32"] {
        let text = answer[field].as_str().map_or_else(|| answer[field].to_string(), str::to_owned);
        say(format_args!("{field:<9} {text}"));
    }
    Ok(())
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
