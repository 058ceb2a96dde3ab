//! The verbs of the command line.

mod above;
mod address;
mod adopt;
mod apply;
mod args;
mod backup;
mod client;
mod credentials;
mod database;
mod files;
mod health;
mod ids;
mod import;
mod journal;
mod leaf;
mod lease;
mod listen;
mod named;
mod namespaces;
mod repair;
mod serve;
mod sockets;
mod sql;
mod stores;
mod tags;
mod token;
mod workers;

use std::ffi::OsString;
use std::io::Write;
use std::process::ExitCode;

use clap::{CommandFactory, Parser, Subcommand};
use tracing::level_filters::LevelFilter;

use crate::log;
use crate::problem::Problem;
use crate::routes::openapi;

const REACH: &str = "\
tag, namespace, worker, apply, next, lease and decode ask the server at --url (or LEAFID_STORE, or
http://127.0.0.1:8750), or open the file itself with --store. `leafid VERB --help` says more.";

/// Unique 64-bit IDs from one central store.
#[derive(Debug, Parser)]
#[command(name = "leafid", version, arg_required_else_help = true, after_help = REACH)]
struct Cli {
    /// How much goes to standard error: off, error, warn, info, debug or trace [default: info for
    /// `serve`, warn otherwise]
    #[arg(long, global = true, env = "LEAFID_LOG", value_name = "LEVEL", value_parser = args::level)]
    log: Option<LevelFilter>,
    #[command(subcommand)]
    verb: Verb,
}

#[derive(Debug, Subcommand)]
enum Verb {
    /// Serves a store over HTTP, in the foreground
    Serve(serve::Serve),
    /// Creates a new, empty store
    Init(files::Init),
    /// Updates a store's tables to this program's version
    Migrate(files::Migrate),
    /// Moves every line of a store past what it may have granted, after it was restored
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
    /// Prints the description of the HTTP API
    Openapi,
    /// Prints the version
    Version,
}

/// Why a verb failed.
#[derive(Debug)]
enum Failure {
    /// The command line cannot be understood.
    Usage(clap::Error),
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
    let done = Cli::try_parse_from(args).map_err(Failure::Usage).and_then(|cli| {
        // Who runs a verb sees what it does; only the server's log is kept.
        let usual = match cli.verb {
            Verb::Serve(_) => LevelFilter::INFO,
            _ => LevelFilter::WARN,
        };
        log::start(cli.log.unwrap_or(usual));
        run(cli.verb)
    });
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(Failure::Problem(problem)) => {
            complain(format_args!("leafid: {problem}"));
            ExitCode::from(1)
        }
        Err(Failure::Output(error)) => unwritten(&error),
        Err(Failure::Usage(error)) => {
            let printed = error.print().and_then(|()| std::io::stdout().flush());
            match printed {
                // Also `--help` and `--version`, which go to standard output.
                Err(unprinted) if !error.use_stderr() => unwritten(&unprinted),
                _ => u8::try_from(error.exit_code()).map_or(ExitCode::FAILURE, ExitCode::from),
            }
        }
    }
}

fn run(verb: Verb) -> Result<(), Failure> {
    match verb {
        Verb::Serve(serve) => serve.run(),
        Verb::Init(init) => init.run(),
        Verb::Migrate(migrate) => migrate.run(),
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
        Verb::Openapi => say(openapi::text()),
        Verb::Version => say(Cli::command().render_version().trim_end()),
    }
}

/// Writes a line to standard output, at once.
///
/// # Errors
/// It could not be written: a script that goes on would take a part for the whole.
fn say(line: impl std::fmt::Display) -> Result<(), Failure> {
    let mut out = std::io::stdout().lock();
    writeln!(out, "{line}").and_then(|()| out.flush()).map_err(Failure::Output)
}

fn unwritten(error: &std::io::Error) -> ExitCode {
    // Who read it wanted no more, as `head` does: the code that a shell gives for SIGPIPE.
    if error.kind() == std::io::ErrorKind::BrokenPipe {
        return ExitCode::from(141);
    }
    complain(format_args!(
        "leafid: cannot write to standard output: {error}; what was to be shown is not complete, \
         and what was done is done"
    ));
    ExitCode::from(1)
}

/// Writes a line to standard error.
fn complain(line: impl std::fmt::Display) {
    let _ = writeln!(std::io::stderr().lock(), "{line}");
}
