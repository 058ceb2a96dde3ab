//! Every job that CI does, runnable by hand: `cargo xtask --help`.

// On Windows only `build` and `release` exist; stores and hosts are started on Unix only.
#![cfg_attr(windows, expect(dead_code, reason = "what only the other verbs call"))]

mod args;
mod bare;
#[cfg(unix)]
mod bench;
mod build;
mod check;
mod consumers;
mod files;
#[cfg(unix)]
mod interrupt;
#[cfg(unix)]
mod nightly;
mod parts;
mod prerequisites;
mod process;
mod project;
mod published;
mod release;
mod report;
#[cfg(unix)]
mod run;
mod setup_ci;
mod simulate;
#[cfg(unix)]
mod test;
mod tools;

use std::process::ExitCode;

use args::Args;
use project::Profile::{self, Dev, Release};

/// The result of a job: a value, or what went wrong and what to do.
pub type Outcome<T = ()> = Result<T, String>;

const HELP: &str = include_str!("help.txt");

/// A verb, the profile of the products that it uses, and its function.
type Verb = (&'static str, Profile, fn(Args) -> Outcome);

const VERBS: &[Verb] = &[
    ("build", Release, build::main),
    ("release", Release, release::main),
    ("check", Dev, check::main),
    ("simulate", Release, simulate::main),
    ("bare", Dev, bare::main),
    ("setup-ci", Release, setup_ci::main),
    #[cfg(unix)]
    ("run", Dev, run::main),
    #[cfg(unix)]
    ("test", Dev, test::main),
    #[cfg(unix)]
    ("bench", Release, bench::main),
    #[cfg(unix)]
    ("nightly", Release, nightly::main),
];

fn main() -> ExitCode {
    match dispatch(&std::env::args().skip(1).collect::<Vec<_>>()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(message) => {
            eprintln!("\nxtask: {message}");
            ExitCode::FAILURE
        }
    }
}

fn dispatch(words: &[String]) -> Outcome {
    let asked = |word: &String| ["--help", "-h", "help"].contains(&word.as_str());
    let Some((name, rest)) = words.split_first().filter(|_| !words.iter().any(asked)) else {
        println!("{}", HELP.trim_end());
        return Ok(());
    };
    let known = VERBS.iter().find(|(verb, ..)| verb == name);
    let (verb, profile, run) = known.ok_or(format!("there is no `{name}`: see --help"))?;
    let _ = project::PROFILE.set(*profile);
    run(Args::new(verb, rest))
}

#[cfg(test)]
mod tests {
    use super::{HELP, VERBS, dispatch};

    #[test]
    fn an_unknown_verb_is_refused_and_every_other_explained() {
        assert!(dispatch(&["biuld".to_owned()]).is_err());
        let explained = HELP.lines().filter_map(|line| line.strip_prefix("  ")?.split(' ').next());
        let mut explained: Vec<_> = explained.filter(|verb| !verb.is_empty()).collect();
        let mut verbs: Vec<_> = VERBS.iter().map(|(verb, ..)| *verb).collect();
        explained.sort_unstable();
        verbs.sort_unstable();
        assert_eq!(explained, verbs);
    }

    const WORKFLOWS: [&str; 5] = [
        include_str!("../../.github/workflows/ci.yml"),
        include_str!("../../.github/workflows/nightly.yml"),
        include_str!("../../.github/workflows/release.yml"),
        include_str!("../../.github/workflows/systems.yml"),
        include_str!("../../.ci/run"),
    ];

    #[test]
    fn workflows_name_actions_by_commit() {
        let uses = WORKFLOWS.iter().flat_map(|text| text.split("uses: ").skip(1));
        let named: Vec<_> = uses.filter_map(|rest| rest.lines().next()).collect();
        assert!(named.len() > 30, "{named:?}");
        for line in named.iter().filter(|line| !line.starts_with("./")) {
            let (action, version) = line.split_once(" # v").expect(line);
            let (_, commit) = action.split_once('@').expect(line);
            assert!(
                commit.len() == 40 && u128::from_str_radix(&commit[..32], 16).is_ok(),
                "{line}"
            );
            assert!(version.starts_with(|digit: char| digit.is_ascii_digit()), "{line}");
        }
    }

    #[test]
    fn the_workflows_ask_for_verbs_that_there_are() {
        let asked = WORKFLOWS.iter().flat_map(|text| text.split("cargo xtask ").skip(1));
        let verbs: Vec<_> = asked.filter_map(|rest| rest.split_whitespace().next()).collect();
        assert!(verbs.len() > 10, "{verbs:?}");
        for verb in verbs {
            assert!(VERBS.iter().any(|(known, ..)| *known == verb), "{verb}");
        }
    }
}
