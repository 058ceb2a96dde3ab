//! The settings of `leafid serve`, with their names in a file, in the environment and on the command line,
//! derived from the options themselves.

use clap::{Arg, ArgAction, Command};

/// Options that make no sense in a file.
const NOT_IN_A_FILE: [&str; 4] = ["config", "help", "json", "version"];

pub struct Key {
    pub name: String,
    pub id: String,
    pub variable: Option<String>,
    /// Its default, if it has one that can be shown.
    pub default: Option<String>,
    /// The placeholder of its value, such as `HOST:PORT`.
    pub takes: Option<String>,
    pub help: String,
    pub is_switch: bool,
    pub is_list: bool,
}

pub fn all(command: &Command) -> Vec<Key> {
    let serve = command.find_subcommand("serve");
    let own = serve.into_iter().flat_map(Command::get_arguments);
    let global = command.get_arguments().filter(|arg| arg.is_global_set());
    own.chain(global).filter_map(key).collect()
}

fn key(arg: &Arg) -> Option<Key> {
    let name = arg.get_long().filter(|name| !NOT_IN_A_FILE.contains(name))?.to_owned();
    let help = arg.get_long_help().or(arg.get_help()).map(ToString::to_string);
    let mut help = help.unwrap_or_default().split_whitespace().collect::<Vec<_>>().join(" ");
    let is_switch = matches!(arg.get_action(), ArgAction::SetTrue);
    let mut default =
        arg.get_default_values().first().map(|value| value.to_string_lossy().into_owned());
    // A default that depends on something is a part of the help.
    if let Some((before, after)) = help.split_once(" [default: ") {
        default = Some(after.trim_end_matches(']').to_owned());
        help = before.to_owned();
    }
    let takes = arg.get_value_names().and_then(|names| names.first());
    Some(Key {
        id: arg.get_id().to_string(),
        variable: arg.get_env().map(|name| name.to_string_lossy().into_owned()),
        default: if is_switch { Some("false".to_owned()) } else { default },
        takes: takes.filter(|_| !is_switch).map(ToString::to_string),
        help,
        is_switch,
        is_list: matches!(arg.get_action(), ArgAction::Append),
        name,
    })
}
