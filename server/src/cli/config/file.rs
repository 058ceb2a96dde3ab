//! The file of `leafid serve --config`: each of its keys is an option that was not given.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use clap::Command;
use leafid_core::Code;
use leafid_store::json::shown;
use leafid_store::problem::Problem;
use toml::{Table, Value};

use super::keys::{self, Key};
use crate::shallow;

/// The variable that names the file.
pub const VARIABLE: &str = "LEAFID_CONFIG";
const OPTION: &str = "--config";

/// A file, and the words that it adds to a command line.
pub struct Added {
    /// The file.
    pub file: PathBuf,
    /// The words.
    pub words: Vec<OsString>,
}

/// What the file adds to a command line of `leafid serve`, if one is named: an option that is
/// given there, or whose variable is set, is left out.
///
/// # Errors
/// `REQUEST_INVALID` for a file that cannot be read, a key that is not known, and a value of the
/// wrong kind.
pub fn added(command: &Command, words: &[OsString]) -> Result<Option<Added>, Problem> {
    if verb(command, words) != Some("serve") {
        return Ok(None);
    }
    let named = value_of(words, OPTION).or_else(|| std::env::var_os(VARIABLE));
    let Some(file) = named.filter(|named| !named.is_empty()).map(PathBuf::from) else {
        return Ok(None);
    };
    let table = read(&file)?;
    let keys = keys::all(command);
    let mut added = Vec::new();
    for (name, value) in &table {
        let key = keys.iter().find(|key| key.name == *name);
        let key = key.ok_or_else(|| unknown(&file, name, &keys))?;
        let values = values(key, value).map_err(|takes| {
            let (file, name) = (shown(&file.to_string_lossy()), shown(name));
            invalid(format!("in `{file}`: `{name}` takes {takes}"))
        })?;
        if !is_given(key, words) {
            added.extend(values);
        }
    }
    Ok(Some(Added { file, words: added }))
}

/// The first word that is no option and no value of one.
fn verb<'w>(command: &Command, words: &'w [OsString]) -> Option<&'w str> {
    let takes_next = |word: &str| {
        let name = word.strip_prefix("--");
        let arg = command.get_arguments().find(|arg| arg.get_long() == name);
        name.is_some() && arg.is_some_and(|arg| arg.get_action().takes_values())
    };
    let mut words = words.iter().skip(1).map(|word| word.to_str().unwrap_or_default());
    while let Some(word) = words.next() {
        if !word.starts_with('-') {
            return Some(word);
        }
        if takes_next(word) {
            words.next();
        }
    }
    None
}

/// The value of an option among some words.
fn value_of(words: &[OsString], option: &str) -> Option<OsString> {
    words.iter().enumerate().find_map(|(at, word)| match word.to_str()? {
        word if word == option => words.get(at + 1).cloned(),
        word => word.strip_prefix(option)?.strip_prefix('=').map(OsString::from),
    })
}

fn is_given(key: &Key, words: &[OsString]) -> bool {
    let option = format!("--{}", key.name);
    let by_word = words.iter().filter_map(|word| word.to_str()).any(|word| {
        word.strip_prefix(&option).is_some_and(|rest| rest.is_empty() || rest.starts_with('='))
    });
    let set = |name: &String| std::env::var_os(name).is_some_and(|value| !value.is_empty());
    by_word || key.variable.as_ref().is_some_and(set)
}

/// Reads a file whole.
fn read(file: &Path) -> Result<Table, Problem> {
    let path = shown(&file.to_string_lossy());
    let text = std::fs::read_to_string(file);
    let text = text.map_err(|error| invalid(format!("cannot read `{path}`: {error}")))?;
    shallow::check(&text).map_err(|why| invalid(format!("in `{path}`, {why}")))?;
    // The parser's own words show the line, and a line may have a password.
    toml::from_str(&text).map_err(|error: toml::de::Error| {
        let before = error.span().and_then(|span| text.get(..span.start));
        let line = before.map_or(1, |before| before.matches('\n').count() + 1);
        invalid(format!("in `{path}`, line {line}: it is not TOML: {}", error.message()))
    })
}

fn unknown(file: &Path, name: &str, keys: &[Key]) -> Problem {
    let alike = keys::nearest(name, keys.iter().map(|key| key.name.as_str()));
    let advice = match alike {
        Some(alike) => format!("did you mean `{alike}`?"),
        None => "`leafid config` prints every key".to_owned(),
    };
    let (file, name) = (shown(&file.to_string_lossy()), shown(name));
    invalid(format!("in `{file}`: unknown key `{name}`: {advice}"))
}

/// A key with its values as words of the command line, or what it would have taken.
fn values(key: &Key, value: &Value) -> Result<Vec<OsString>, &'static str> {
    let word = |value: &Value| match value {
        Value::String(text) => Some(format!("--{}={text}", key.name).into()),
        Value::Integer(number) => Some(format!("--{}={number}", key.name).into()),
        _ => None,
    };
    match value {
        Value::Boolean(true) if key.is_switch => Ok(vec![format!("--{}", key.name).into()]),
        Value::Boolean(false) if key.is_switch => Ok(Vec::new()),
        _ if key.is_switch => Err("`true` or `false`"),
        Value::Array(values) if key.is_list => {
            values.iter().map(word).collect::<Option<_>>().ok_or("a list of texts")
        }
        value => word(value).map(|word| vec![word]).ok_or(match key.is_list {
            true => "a text, or a list of texts",
            false => "a text or a whole number",
        }),
    }
}

fn invalid(detail: String) -> Problem {
    Problem::new(Code::RequestInvalid, detail)
}
