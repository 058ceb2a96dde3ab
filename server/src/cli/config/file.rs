//! The file of `leafid serve --config`: its keys stand for options that are not given.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use clap::parser::ValueSource;
use clap::{Arg, ArgAction, Command};
use leafid_store::json::shown;
use leafid_store::problem::Problem;
use toml::{Table, Value};

use crate::cli::invalid;
use crate::toml_text;

pub const VARIABLE: &str = "LEAFID_CONFIG";
/// Options that make no sense in a file.
const NOT_IN_A_FILE: [&str; 4] = ["config", "help", "json", "version"];

/// The settings of `leafid serve`: its options, whose names are the keys of the file.
pub fn settings(command: &Command) -> impl Iterator<Item = &Arg> {
    let serve = command.find_subcommand("serve");
    let own = serve.into_iter().flat_map(Command::get_arguments);
    let global = command.get_arguments().filter(|arg| arg.is_global_set());
    let is_key = |arg: &&Arg| arg.get_long().is_some_and(|name| !NOT_IN_A_FILE.contains(&name));
    own.chain(global).filter(is_key)
}

pub fn is_switch(arg: &Arg) -> bool {
    matches!(arg.get_action(), ArgAction::SetTrue)
}

/// Reads the file that a command line of `leafid serve` names, if any, and gives the words that it adds to
/// that. Options that are given there, or whose variable is set, are left out.
pub fn added(
    command: &Command,
    words: &[OsString],
) -> Result<Option<(PathBuf, Vec<OsString>)>, Problem> {
    // Errors are ignored here: they are reported once all words are there.
    let seen = command.clone().ignore_errors(true).try_get_matches_from(words);
    let serve = seen.as_ref().ok().and_then(|seen| seen.subcommand_matches("serve"));
    let named = serve.and_then(|serve| Some((serve, serve.get_one::<PathBuf>("_config")?)));
    let Some((serve, file)) = named else { return Ok(None) };
    let table = read(file)?;
    let mut added = Vec::new();
    for (name, value) in &table {
        let wrong = |why: &str| {
            let (file, name) = (shown(&file.to_string_lossy()), shown(name));
            invalid(format!("in `{file}`: key `{name}` {why}"))
        };
        let key = settings(command).find(|arg| arg.get_long() == Some(name));
        let key = key.ok_or_else(|| wrong("is unknown: `leafid config` prints every key"))?;
        let takes = if is_switch(key) { "takes true or false" } else { "takes a text or a number" };
        let values = words_of(name, is_switch(key), value).ok_or_else(|| wrong(takes))?;
        let source = serve.value_source(key.get_id().as_str());
        if !matches!(source, Some(ValueSource::CommandLine | ValueSource::EnvVariable)) {
            added.extend(values);
        }
    }
    Ok(Some((file.clone(), added)))
}

/// A key and its values as words of the command line, whose parser checks them; `None` for a value that
/// cannot be a word.
fn words_of(name: &str, is_switch: bool, value: &Value) -> Option<Vec<OsString>> {
    let word = |value: &Value| match value {
        Value::String(text) => Some(format!("--{name}={text}").into()),
        Value::Integer(number) => Some(format!("--{name}={number}").into()),
        _ => None,
    };
    match value {
        Value::Boolean(on) if is_switch => {
            Some(on.then(|| format!("--{name}").into()).into_iter().collect())
        }
        Value::Array(values) if !is_switch => values.iter().map(word).collect(),
        value if !is_switch => word(value).map(|word| vec![word]),
        _ => None,
    }
}

fn read(file: &Path) -> Result<Table, Problem> {
    let path = shown(&file.to_string_lossy());
    let text = std::fs::read_to_string(file);
    let text = text.map_err(|error| invalid(format!("cannot read `{path}`: {error}")))?;
    let read = toml_text::read(&text, "it is not TOML: ");
    read.map_err(|why| invalid(format!("in `{path}`, {why}")))
}
