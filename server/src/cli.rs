//! The verbs of the command line.

mod above;
mod adopt;
pub(crate) mod apply;
pub(crate) mod args;
mod backup;
mod client;
pub(crate) mod config;
mod credentials;
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
mod servers;
mod shell;
mod store;
mod tags;
mod token;
mod workers;

use std::ffi::OsString;
use std::process::ExitCode;

use clap::{ArgMatches, CommandFactory, FromArgMatches, Parser, Subcommand};
use leafid_core::Code;
use leafid_store::problem::Problem;
use tokio::runtime::Runtime;
use tracing::level_filters::LevelFilter;

use crate::log;
use crate::routes::openapi;
use output::{complain, say, unwritten};

const REACH: &str = "\
tag, namespace, worker, server, apply, next, lease and decode ask the server at --url (or LEAFID_STORE, or
http://127.0.0.1:8750), or open the file itself with --store. `leafid VERB --help` lists all options.";

/// Unique 64-bit IDs from one central store.
#[derive(Debug, Parser)]
#[command(name = "leafid", version, arg_required_else_help = true, after_help = REACH)]
pub(crate) struct Cli {
    /// How much goes to standard error: off, error, warn, info, debug or trace [default: info for
    /// `serve`, warn otherwise]
    #[arg(long, global = true, env = "LEAFID_LOG", value_name = "LEVEL")]
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
    /// Prints one JSON value instead of text; an error goes to standard error, as JSON, too
    #[arg(long, global = true)]
    json: bool,
    #[command(subcommand)]
    verb: Verb,
}

#[derive(Debug, Subcommand)]
enum Verb {
    /// Serves a store over HTTP, in the foreground
    Serve(serve::Serve),
    /// Creates a new, empty store
    Init(init::Init),
    /// Raises every tag and worker number of a store to what the journals of its servers know
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
    /// Lists the servers of the store, or removes one that never comes back
    #[command(subcommand)]
    Server(servers::Server),
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
}

#[derive(Debug)]
pub(crate) enum Failure {
    /// The command line cannot be understood.
    Misused(clap::Error),
    Problem(Problem),
    Output(std::io::Error),
}

impl From<Problem> for Failure {
    fn from(problem: Problem) -> Failure {
        Failure::Problem(problem)
    }
}

impl From<clap::Error> for Failure {
    fn from(error: clap::Error) -> Failure {
        Failure::Misused(error)
    }
}

/// Does what the arguments say, the program's name first; 0 is success, 1 a problem, 2 a misused
/// command line.
pub fn main(args: impl Iterator<Item = OsString>) -> ExitCode {
    let words: Vec<OsString> = args.collect();
    let done = parse(words.clone()).and_then(|matches| {
        let cli = Cli::from_arg_matches(&matches)?;
        if cli.json {
            output::ask_for_json();
        }
        // Only the server writes a log; a verb writes to its user's terminal.
        let is_server = matches!(cli.verb, Verb::Serve(_));
        let usual = if is_server { LevelFilter::INFO } else { LevelFilter::WARN };
        log::start(cli.log.unwrap_or(usual), cli.log_format, is_server);
        run(cli.verb)
    });
    log::end();
    match done {
        Ok(()) => ExitCode::SUCCESS,
        // The name of a file may be a URL with a password, given to the wrong option.
        Err(Failure::Problem(problem)) => {
            let detail = secrets::without(problem.detail.clone(), &secrets::texts(&words));
            output::problem(&Problem { detail, ..problem })
        }
        Err(Failure::Output(error)) => unwritten(&error),
        Err(Failure::Misused(error)) => misused(&error, &secrets::given(&words)),
    }
}

fn parse(words: Vec<OsString>) -> Result<ArgMatches, Failure> {
    let command = config::without_empty(Cli::command());
    let Some((file, added)) = config::file::added(&command, &words)? else {
        return Ok(command.try_get_matches_from(words)?);
    };
    let all: Vec<OsString> = words.iter().cloned().chain(added).collect();
    command.clone().try_get_matches_from(&all).map_err(|error| {
        if let Err(of_line) = command.try_get_matches_from(words) {
            return Failure::Misused(of_line);
        }
        // The first paragraph alone: the rest explains the command line.
        let said = secrets::without(error.render().to_string(), &secrets::given(&all));
        let said = said.trim_start_matches("error: ").split("\n\nUsage").next().unwrap_or_default();
        let said = said.split_whitespace().collect::<Vec<_>>().join(" ");
        invalid(format!("in `{}`: {said}", file.display())).into()
    })
}

fn invalid(detail: impl Into<String>) -> Problem {
    Problem::new(Code::RequestInvalid, detail)
}

/// A runtime of one thread, for verbs.
fn runtime() -> Result<Runtime, Problem> {
    tokio::runtime::Builder::new_current_thread().enable_all().build().map_err(no_runtime)
}

fn no_runtime(error: std::io::Error) -> Problem {
    Problem::new(Code::Internal, format!("no runtime: {error}"))
}

/// Prints the error of a command line, or what `--help` and `--version` ask for.
fn misused(error: &clap::Error, given: &[String]) -> ExitCode {
    let text = secrets::without(error.render().to_string(), given);
    if error.use_stderr() {
        complain(text.trim_end());
    } else if let Err(Failure::Output(unprinted)) = say(text.trim_end()) {
        return unwritten(&unprinted);
    }
    u8::try_from(error.exit_code()).map_or(ExitCode::FAILURE, ExitCode::from)
}

fn run(verb: Verb) -> Result<(), Failure> {
    match verb {
        Verb::Serve(serve) => serve.run(),
        Verb::Init(init) => init.run(),
        Verb::Repair(repair) => repair.run(),
        Verb::Tag(tag) => tag.run(),
        Verb::Namespace(namespace) => namespace.run(),
        Verb::Worker(worker) => worker.run(),
        Verb::Server(server) => server.run(),
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
    }
}
