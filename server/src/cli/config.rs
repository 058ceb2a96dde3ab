//! `leafid config`: the settings of a server, as a file for `leafid serve --config`.

pub mod file;

use std::ffi::OsString;
use std::path::PathBuf;

use clap::parser::ValueSource;
use clap::{Arg, ArgAction, ArgMatches, Args, CommandFactory};
use leafid_store::json::shown;
use serde_json::{Value, json};

use super::named::masked;
use super::output::{is_json, say};
use super::{Cli, Failure, parse};
use file::{is_switch, settings};

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
}

/// An option of `serve`, its present value without passwords, and the source of that.
struct Setting {
    name: String,
    variable: Option<String>,
    /// Its default, if it has one that can be shown.
    default: Option<String>,
    /// The placeholder of its value, such as `HOST:PORT`.
    takes: String,
    help: String,
    is_switch: bool,
    is_list: bool,
    values: Vec<String>,
    /// Whether nothing of the value is left out.
    is_whole: bool,
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
        let command = Cli::command();
        let settings = settings(&command).map(|arg| Setting::of(arg, serve));
        if is_json() {
            let keys: Vec<Value> = settings.map(|setting| setting.json()).collect();
            return say(json!({ "keys": keys }));
        }
        say("# The settings of `leafid serve`, for a file that --config names.\n#")?;
        say("# An option counts before its variable, the variable before the file.")?;
        settings.map(|setting| setting.toml()).try_for_each(say)
    }
}

impl Setting {
    fn of(arg: &Arg, serve: &ArgMatches) -> Setting {
        let (id, is_switch) = (arg.get_id().as_str(), is_switch(arg));
        let variable = arg.get_env().map(|name| name.to_string_lossy().into_owned());
        let help = arg.get_long_help().or(arg.get_help()).map(ToString::to_string);
        let help = help.unwrap_or_default().split_whitespace().collect::<Vec<_>>().join(" ");
        // A default that depends on something is a part of the help.
        let (help, default) = match help.split_once(" [default: ") {
            Some((help, default)) => (help, Some(default.trim_end_matches(']').to_owned())),
            None => {
                let default = arg.get_default_values().first();
                (&help[..], default.map(|value| value.to_string_lossy().into_owned()))
            }
        };
        let source = match serve.value_source(id) {
            Some(ValueSource::EnvVariable) => variable.clone(),
            Some(ValueSource::CommandLine) => Some("the file".to_owned()),
            _ => None,
        };
        let raw: Vec<String> = match is_switch {
            true => vec![serve.get_flag(id).to_string()],
            false => {
                let raw = serve.get_raw(id).into_iter().flatten();
                raw.map(|value| value.to_string_lossy().into_owned()).collect()
            }
        };
        let values: Vec<String> = raw.iter().map(|value| masked(value)).collect();
        let takes = arg.get_value_names().and_then(|names| names.first());
        Setting {
            name: arg.get_long().unwrap_or_default().to_owned(),
            variable,
            default: if is_switch { Some("false".to_owned()) } else { default },
            takes: takes.map(ToString::to_string).unwrap_or_default(),
            help: help.to_owned(),
            is_switch,
            is_list: matches!(arg.get_action(), ArgAction::Append),
            is_whole: raw.iter().zip(&values).all(|(raw, safe)| *safe == shown(raw)),
            values,
            source,
        }
    }

    fn toml(&self) -> String {
        let Setting { name, variable, default, takes, help, .. } = self;
        let variable = variable.as_deref().unwrap_or("no variable");
        let mut text = String::from("\n");
        for line in wrapped(&format!("{help} ({variable})")) {
            text.push_str(&format!("# {line}\n"));
        }
        let quoted = |value: &str| match self.is_switch {
            true => value.to_owned(),
            false => json!(value).to_string(),
        };
        let value = match &self.values[..] {
            [one] if !self.is_list => quoted(one),
            all => json!(all).to_string(),
        };
        let line = match &self.source {
            Some(source) if self.is_whole => format!("{name} = {value}  # from {source}"),
            Some(source) => {
                format!("#{name} = {value}  # from {source}; the password is not shown")
            }
            // Its default, or the placeholder of a value.
            None => {
                let example = default.as_ref().unwrap_or(takes);
                format!("#{name} = {}", quoted(example))
            }
        };
        text + &line
    }

    fn json(&self) -> Value {
        let Setting { name, variable, default, help, .. } = self;
        json!({
            "key": name, "option": format!("--{name}"), "variable": variable, "default": default,
            "help": help, "values": self.source.as_ref().map(|_| &self.values), "source": self.source,
        })
    }
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
