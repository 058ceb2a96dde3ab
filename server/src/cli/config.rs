//! `leafid config`: the settings of a server, as a file for `leafid serve --config`.

pub mod file;
mod keys;

use std::ffi::OsString;
use std::path::PathBuf;

use clap::parser::ValueSource;
use clap::{ArgMatches, Args, CommandFactory};
use leafid_store::json::shown;
use serde_json::{Value, json};

use super::named::masked;
use super::output::{is_json, say};
use super::{Cli, Failure, parse};
use keys::Key;

const MEANING: &str = "\
What it prints is a file for `leafid serve --config FILE`: every key with what it does. A key that has a
value now, from the environment or the file, stands with it, and where it comes from; all others are
commented out and show their default. An option counts before its variable, the variable before the
file, the file before the default. Passwords are not shown.";

#[derive(Args, Debug)]
#[command(after_help = MEANING)]
pub struct Config {
    /// The file that `leafid serve --config` would be given
    #[arg(long, env = file::VARIABLE, value_name = "FILE")]
    config: Option<PathBuf>,
    /// Prints the keys as a table in Markdown
    #[arg(long, hide = true)]
    markdown: bool,
}

/// A setting, its present value, and the source of that.
struct Setting {
    key: Key,
    values: Vec<String>,
    source: Option<String>,
}

impl Config {
    pub fn run(self) -> Result<(), Failure> {
        let mut words = vec![OsString::from("leafid"), OsString::from("serve")];
        if let Some(file) = self.config {
            words.push("--config".into());
            words.push(file.into());
        }
        let matches = parse(words)?;
        let serve = matches.subcommand_matches("serve").unwrap_or(&matches);
        let settings = keys::all(&Cli::command()).into_iter().map(|key| setting(key, serve));
        if self.markdown {
            return say(table(settings));
        }
        if is_json() {
            let keys: Vec<Value> = settings.map(|setting| setting.json()).collect();
            return say(json!({ "keys": keys }));
        }
        say("# The settings of `leafid serve`, for a file that --config names.\n#")?;
        say("# An option counts before its variable, the variable before the file.")?;
        settings.into_iter().try_for_each(|setting| say(setting.toml()))
    }
}

fn setting(key: Key, serve: &ArgMatches) -> Setting {
    let source = match serve.value_source(&key.id) {
        Some(ValueSource::EnvVariable) => key.variable.clone(),
        Some(ValueSource::CommandLine) => Some("the file".to_owned()),
        _ => None,
    };
    let raw = serve.get_raw(&key.id).into_iter().flatten();
    let mut values: Vec<String> = raw.map(|value| value.to_string_lossy().into_owned()).collect();
    if key.is_switch {
        values = vec![serve.get_flag(&key.id).to_string()];
    }
    Setting { key, values, source }
}

impl Setting {
    /// The value as a file has it, and whether it is complete.
    fn value(&self) -> (String, bool) {
        if self.key.is_switch {
            return (self.values.concat(), true);
        }
        let safe: Vec<String> = self.values.iter().map(|value| masked(value)).collect();
        let whole = safe.iter().zip(&self.values).all(|(safe, value)| *safe == shown(value));
        let quoted: Vec<String> = safe.iter().map(|value| json!(value).to_string()).collect();
        match quoted.as_slice() {
            [one] if !self.key.is_list => (one.clone(), whole),
            all => (format!("[{}]", all.join(", ")), whole),
        }
    }

    fn toml(&self) -> String {
        let Key { name, variable, help, .. } = &self.key;
        let variable = variable.as_deref().unwrap_or("no variable");
        let mut text = String::from("\n");
        for line in wrapped(&format!("{help} ({variable})")) {
            text.push_str(&format!("# {line}\n"));
        }
        let (value, whole) = self.value();
        let line = match &self.source {
            Some(source) if whole => format!("{name} = {value}  # from {source}"),
            Some(source) => {
                format!("#{name} = {value}  # from {source}; the password is not shown")
            }
            None => format!("#{name} = {}", self.example()),
        };
        text + &line
    }

    /// An example for the comment of a setting without a value: its default, or a placeholder.
    fn example(&self) -> String {
        let Key { default, takes, is_switch, .. } = &self.key;
        let value = default.as_deref().or(takes.as_deref()).unwrap_or_default();
        if *is_switch { value.to_owned() } else { json!(value).to_string() }
    }

    fn json(&self) -> Value {
        let Key { name, variable, default, help, .. } = &self.key;
        let set = self.source.as_ref().map(|_| self.values.iter().map(|value| masked(value)));
        let set = set.map(Iterator::collect::<Vec<_>>);
        json!({
            "key": name, "option": format!("--{name}"), "variable": variable, "default": default,
            "help": help, "values": set, "source": self.source,
        })
    }
}

fn table(settings: impl Iterator<Item = Setting>) -> String {
    let mut text =
        "| key, and option after `--` | variable | default | what it does |\n|---|---|---|---|"
            .to_owned();
    for Setting { key, .. } in settings {
        let code = |text: &Option<String>| {
            text.as_ref().map_or_else(String::new, |text| match text.contains(['`', ' ']) {
                true => text.clone(),
                false => format!("`{text}`"),
            })
        };
        let takes = key.takes.as_ref().map_or_else(String::new, |takes| format!(" {takes}"));
        let (variable, default) = (code(&key.variable), code(&key.default));
        let row = [format!("`{}{takes}`", key.name), variable, default, key.help];
        text.push_str(&format!("\n| {} |", row.map(|cell| cell.replace('|', "\\|")).join(" | ")));
    }
    text
}

fn wrapped(text: &str) -> Vec<String> {
    let mut lines = vec![String::new()];
    for word in text.split_whitespace() {
        let last = lines.len().saturating_sub(1);
        match lines.get_mut(last) {
            Some(line) if line.is_empty() => line.push_str(word),
            Some(line) if line.len() + word.len() < 98 => *line = format!("{line} {word}"),
            _ => lines.push(word.to_owned()),
        }
    }
    lines
}

/// The command without variables that are set but empty: they count as not set.
pub fn without_empty(command: clap::Command) -> clap::Command {
    let command = command.mut_args(|arg| {
        let value = arg.get_env().and_then(std::env::var_os);
        match value.is_some_and(|value| value.is_empty()) {
            true => arg.env(clap::builder::Resettable::Reset),
            false => arg,
        }
    });
    command.mut_subcommands(without_empty)
}
