//! The verbs of the command line.

mod args;
mod client;
mod ids;
mod namespaces;
mod serve;
mod tags;

use std::ffi::OsString;
use std::io::Write;
use std::process::ExitCode;

use crate::problem::Problem;
use crate::routes::openapi;
use args::Args;

const HELP: &str = "\
leafid: unique 64-bit IDs from one central store

  leafid serve [--store sqlite:PATH] [--listen 127.0.0.1:8750] [--dev]
      serves the store in a file (./leafid.db), which is made if it is not there;
      --dev creates tags and namespaces on first use

  leafid tag create NAME [--from N] [--step N] [--max-step N]
  leafid tag list
  leafid namespace create NAME [--layout leaf|edge|long|js53]
                               [--epoch-ms N --tick-ms N --bits 41/10/12]
                               [--workers 0..64] [--max-window 10s]
  leafid namespace list
  leafid next TAG [--count N]
  leafid next --namespace NAME [--count N]
  leafid decode ID [--namespace NAME | --layout leaf|edge|long|js53]
  leafid openapi
      prints the description of the HTTP API

All but serve and openapi speak to the server at --url URL (or LEAFID_STORE, or http://127.0.0.1:8750), or to the
file itself with --store sqlite:PATH.
";

/// Why a verb failed.
#[derive(Debug)]
enum Failure {
    /// The command line cannot be understood.
    Usage(String),
    /// The store said no, or could not be reached.
    Problem(Problem),
}

impl From<Problem> for Failure {
    fn from(problem: Problem) -> Failure {
        Failure::Problem(problem)
    }
}

impl From<lexopt::Error> for Failure {
    fn from(error: lexopt::Error) -> Failure {
        Failure::Usage(error.to_string())
    }
}

/// Does what the arguments say; 0 is success, 1 a problem, 2 a misused command line.
pub fn main(args: impl Iterator<Item = OsString>) -> ExitCode {
    match run(Args::new(args)) {
        Ok(()) => ExitCode::SUCCESS,
        Err(Failure::Problem(problem)) => {
            eprintln!("leafid: {problem}");
            ExitCode::from(1)
        }
        Err(Failure::Usage(what)) => {
            eprintln!("leafid: {what}; see leafid --help");
            ExitCode::from(2)
        }
    }
}

fn run(mut args: Args) -> Result<(), Failure> {
    let verb = args.word("a verb")?;
    match verb.as_str() {
        "serve" => serve::serve(args),
        "tag" => match args.word("create or list")?.as_str() {
            "create" => tags::create(args),
            "list" => tags::list(args),
            other => Err(Failure::Usage(format!("`tag {other}` is no verb"))),
        },
        "namespace" => match args.word("create or list")?.as_str() {
            "create" => namespaces::create(args),
            "list" => namespaces::list(args),
            other => Err(Failure::Usage(format!("`namespace {other}` is no verb"))),
        },
        "next" => ids::next(args),
        "decode" => ids::decode(args),
        "openapi" => {
            say(openapi::text());
            Ok(())
        }
        "help" | "--help" | "-h" => {
            say(HELP.trim_end());
            Ok(())
        }
        "version" | "--version" | "-V" => {
            say(concat!("leafid ", env!("CARGO_PKG_VERSION")));
            Ok(())
        }
        other => Err(Failure::Usage(format!("`{other}` is no verb"))),
    }
}

/// Writes a line to standard output, at once. Who closed it does not want it.
fn say(line: impl std::fmt::Display) {
    let mut out = std::io::stdout().lock();
    let _ = writeln!(out, "{line}").and_then(|()| out.flush());
}
