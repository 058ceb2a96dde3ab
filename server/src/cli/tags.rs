//! `leafid tag …`

use leafid_core::{Code, Put, Text};

use super::args::{Arg, Args, unexpected};
use super::client::Target;
use super::{Failure, say};
use crate::json::Writer;

/// `leafid tag create NAME [--from N] [--step N] [--max-step N]`
pub fn create(mut args: Args) -> Result<(), Failure> {
    let (mut target, mut name) = (Target::default(), None);
    let mut change = Writer::default();
    while let Some(arg) = args.next()? {
        match &arg {
            Arg::Flag(flag) if flag == "from" => {
                let id = |text: &str| Text::parse_decimal(text).ok();
                change.big("from", args.read_by(flag, "a number from 1 on", id)?);
            }
            Arg::Flag(flag) if flag == "step" => {
                change.number("step", args.read::<u32>(flag, "a number")?.into());
            }
            Arg::Flag(flag) if flag == "max-step" => {
                change.number("max_step", args.read::<u32>(flag, "a number")?.into());
            }
            Arg::Flag(flag) if target.take(flag, &mut args)? => {}
            Arg::Word(word) if name.is_none() => name = Some(word.clone()),
            _ => return Err(unexpected(&arg)),
        }
    }
    let Some(name) = name else { return Err(Failure::Usage("the tag's name is missing".into())) };
    let tag = leafid_core::Name::tag(&name).map_err(|refusal| {
        let detail = format!("`{name}` is no name for a tag: {}", refusal.code.advice());
        crate::problem::Problem::new(Code::TagInvalid, detail)
    })?;
    let client = target.connect()?;
    let made = client.call("PUT", &format!("/v1/tags/{tag}"), Some(change.end()), true);
    client.close();
    let made = made?;
    say(format_args!(
        "tag `{tag}` created: next number {}, step {}, max_step {}",
        made["max_id"].as_str().unwrap_or("?"),
        made["step"],
        made["max_step"]
    ));
    Ok(())
}

/// `leafid tag list`
pub fn list(mut args: Args) -> Result<(), Failure> {
    let mut target = Target::default();
    while let Some(arg) = args.next()? {
        match &arg {
            Arg::Flag(flag) if target.take(flag, &mut args)? => {}
            _ => return Err(unexpected(&arg)),
        }
    }
    let client = target.connect()?;
    let rows = client.list("/v1/tags", "tags", "tag")?;
    client.close();
    say(format_args!("{:<32} {:>20} {:>10} {:>10}", "tag", "next number", "step", "max_step"));
    for row in rows {
        say(format_args!(
            "{:<32} {:>20} {:>10} {:>10}",
            row["tag"].as_str().unwrap_or("?"),
            row["max_id"].as_str().unwrap_or("?"),
            row["step"].to_string(),
            row["max_step"].to_string()
        ));
    }
    Ok(())
}
