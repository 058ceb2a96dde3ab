//! The verbs of the command line.

mod above;
mod address;
mod adopt;
pub(crate) mod apply;
mod args;
mod backup;
mod client;
pub(crate) mod config;
mod credentials;
mod database;
mod health;
mod ids;
mod import;
mod init;
mod journal;
mod leaf;
mod lease;
mod listen;
pub(crate) mod named;
mod namespaces;
mod notify;
mod output;
mod repair;
mod secrets;
mod serve;
mod shell;
mod sockets;
mod sql;
mod store;
mod tags;
mod token;
mod workers;

use std::ffi::OsString;
use std::io::Write;
use std::process::ExitCode;

use clap::{ArgMatches, CommandFactory, FromArgMatches, Parser, Subcommand};
use leafid_store::problem::Problem;
use serde_json::json;
use tracing::level_filters::LevelFilter;

use crate::log;
use crate::routes::openapi;
use output::{complain, say, show, unwritten};

const REACH: &str = "\
tag, namespace, worker, apply, next, lease and decode ask the server at --url (or LEAFID_STORE, or
http://127.0.0.1:8750), or open the file itself with --store. `leafid VERB --help` lists all options.";

/// Unique 64-bit IDs from one central store.
#[derive(Debug, Parser)]
#[command(name = "leafid", version, arg_required_else_help = true, after_help = REACH)]
struct Cli {
    /// How much goes to standard error: off, error, warn, info, debug or trace [default: info for
    /// `serve`, warn otherwise]
    #[arg(long, global = true, env = "LEAFID_LOG", value_name = "LEVEL", value_parser = args::level)]
    log: Option<LevelFilter>,
    /// How a line of it is written: text, or json
    #[arg(
        long,
        global = true,
        env = "LEAFID_LOG_FORMAT",
        value_name = "FORMAT",
        value_enum,
        default_value_t
    )]
    log_format: log::Format,
    #[command(subcommand)]
    verb: Verb,
}

#[derive(Debug, Subcommand)]
enum Verb {
    /// Serves a store over HTTP, in the foreground
    Serve(serve::Serve),
    /// Creates a new, empty store
    Init(init::Init),
    /// Moves every tag and namespace past what the store may have granted, after it was restored
    Repair(repair::Repair),
    /// Creates, changes and lists tags, the sequences that numbers are leased from
    #[command(subcommand)]
    Tag(tags::Tag),
    /// Creates, changes and lists namespaces, the layouts and worker numbers of snowflake IDs
    #[command(subcommand)]
    Namespace(namespaces::Namespace),
    /// Lists worker numbers, or takes one from its holder
    #[command(subcommand)]
    Worker(workers::Worker),
    /// Makes, lists and revokes the tokens of a server that others reach
    #[command(subcommand)]
    Token(token::Token),
    /// Creates and changes tags and namespaces to match a file
    Apply(apply::Apply),
    /// Prints fresh IDs, one per line
    Next(ids::Next),
    /// Leases one range of numbers, for a column default, a COPY or a device
    Lease(lease::Lease),
    /// Prints the parts of a snowflake ID
    Decode(ids::Decode),
    /// Checks that a server can grant leases: exit code 0 or 1
    Health(health::Health),
    /// Copies a store's file, even while a server uses it
    Backup(backup::Backup),
    /// Prints the settings of `serve`, with their values now, as a file for `serve --config`
    Config(config::Config),
    /// Prints the description of the HTTP API
    Openapi,
    /// Prints a script that completes this command's words in a shell
    Completions(shell::Completions),
    /// Writes the manual pages
    #[command(hide = true)]
    Man(shell::Pages),
    /// Prints the version
    Version,
}

/// Why a verb failed.
#[derive(Debug)]
pub(crate) enum Failure {
    /// The command line cannot be understood.
    Usage(clap::Error),
    /// It cannot be understood, and these words and variables may be repeated in the error.
    Misused(clap::Error, Vec<String>),
    /// The store said no, or could not be reached.
    Problem(Problem),
    /// What was to be shown could not be written.
    Output(std::io::Error),
}

impl From<Problem> for Failure {
    fn from(problem: Problem) -> Failure {
        Failure::Problem(problem)
    }
}

impl From<clap::Error> for Failure {
    fn from(error: clap::Error) -> Failure {
        Failure::Usage(error)
    }
}

/// Does what the arguments say, the program's name first; 0 is success, 1 a problem, 2 a misused
/// command line.
pub fn main(args: impl Iterator<Item = OsString>) -> ExitCode {
    let words: Vec<OsString> = args.collect();
    let given = secrets::given(words.iter().map(AsRef::as_ref), []);
    let done = parse(words).and_then(|(matches, _)| {
        output::take(&matches);
        let cli = Cli::from_arg_matches(&matches)?;
        // Who runs a verb sees what it does; only the server's log is kept.
        if matches!(cli.verb, Verb::Serve(_)) {
            log::start_apart(cli.log.unwrap_or(LevelFilter::INFO), cli.log_format);
            config::warn_of_variables();
        } else {
            log::start(cli.log.unwrap_or(LevelFilter::WARN), cli.log_format);
        }
        run(cli.verb)
    });
    log::end();
    match done {
        Ok(()) => ExitCode::SUCCESS,
        // A file's name may be a URL that was given to the wrong option.
        Err(Failure::Problem(problem)) => {
            let detail = secrets::without(problem.detail.clone(), &given);
            output::problem(&Problem { detail, ..problem })
        }
        Err(Failure::Output(error)) => unwritten(&error),
        Err(Failure::Usage(error)) => misused(&error, &[]),
        Err(Failure::Misused(error, given)) => misused(&error, &given),
    }
}

/// The command with all that its verbs take.
pub(crate) fn command() -> clap::Command {
    output::with_json(Cli::command())
}

/// Reads a command line, and the file that it names; also which words come from that.
fn parse(mut words: Vec<OsString>) -> Result<(ArgMatches, Vec<OsString>), Failure> {
    let command = command();
    let added = config::file::added(&command, &words)?;
    let by_hand = words.clone();
    let (file, from_file) = added.map(|added| (added.file, added.words)).unzip();
    let from_file = from_file.unwrap_or_default();
    words.extend(from_file.iter().cloned());
    let variables = config::variables(&command);
    let given = || {
        let variables = variables.iter().map(AsRef::as_ref);
        secrets::given(words.iter().map(AsRef::as_ref), variables)
    };
    let command = config::without_empty(command);
    let parsed = command.clone().try_get_matches_from(&words);
    parsed.map(|matches| (matches, from_file)).map_err(|error| {
        let of_file = file.filter(|_| command.clone().try_get_matches_from(by_hand).is_ok());
        if let Some(file) = of_file {
            let said = secrets::without(error.render().to_string(), &given());
            let said =
                said.trim_start_matches("error: ").lines().next().unwrap_or_default().to_owned();
            let detail = format!("in `{}`: {said}", file.display());
            return Problem::new(leafid_core::Code::RequestInvalid, detail).into();
        }
        Failure::Misused(error, given())
    })
}

/// Says what is wrong with a command line, or what `--help` and `--version` were asked for.
fn misused(error: &clap::Error, given: &[String]) -> ExitCode {
    let text = secrets::without(error.render().to_string(), given);
    let printed = match error.use_stderr() {
        true => write!(std::io::stderr().lock(), "{text}"),
        false => {
            let mut out = std::io::stdout().lock();
            write!(out, "{text}").and_then(|()| out.flush())
        }
    };
    match printed {
        // Also `--help` and `--version`, which go to standard output.
        Err(unprinted) if !error.use_stderr() => unwritten(&unprinted),
        _ => u8::try_from(error.exit_code()).map_or(ExitCode::FAILURE, ExitCode::from),
    }
}

fn run(verb: Verb) -> Result<(), Failure> {
    match verb {
        Verb::Serve(serve) => serve.run(),
        Verb::Init(init) => init.run(),
        Verb::Repair(repair) => repair.run(),
        Verb::Tag(tag) => tag.run(),
        Verb::Namespace(namespace) => namespace.run(),
        Verb::Worker(worker) => worker.run(),
        Verb::Token(token) => token.run(),
        Verb::Apply(apply) => apply.run(),
        Verb::Health(health) => health.run(),
        Verb::Backup(backup) => backup.run(),
        Verb::Next(next) => next.run(),
        Verb::Lease(lease) => lease.run(),
        Verb::Decode(decode) => decode.run(),
        Verb::Config(config) => config.run(),
        Verb::Openapi => say(openapi::text()),
        Verb::Completions(completions) => completions.run(),
        Verb::Man(pages) => pages.run(),
        Verb::Version => {
            let version = json!({ "version": env!("CARGO_PKG_VERSION") });
            show(version, Cli::command().render_version().trim_end())
        }
    }
}
