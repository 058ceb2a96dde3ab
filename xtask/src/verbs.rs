//! The list of verbs: what each does, how long it takes, and what runs it.

use crate::Outcome;
use crate::args::Args;
use crate::project::{self, Profile};
#[cfg(unix)]
use crate::{bare, bench, check, nightly, run, setup_ci, simulate, test};
use crate::{build, release};

struct Verb {
    name: &'static str,
    options: &'static str,
    does: &'static str,
    takes: &'static str,
    /// How the products that it uses are compiled.
    profile: Profile,
    run: fn(Args) -> Outcome,
}

const VERBS: &[Verb] = &[
    #[cfg(unix)]
    Verb {
        name: "run",
        options: "[--store sqlite|postgres|mysql|etcd|zookeeper] [--seconds N] [--rate N]",
        does: "one stream of IDs through Python, Node and a Worker at once, every ID checked; \
               `--store` starts a database for the store, `--rate` is IDs per second and host",
        takes: "until Ctrl-C, after a build of 2 min cold, 10 s warm",
        profile: Profile::Dev,
        run: run::main,
    },
    Verb {
        name: "build",
        options: "[--only server|wheel|wasm|node|npm|component]",
        does: "what is published, into `dist/`: the server, the wheel, the npm packages, the component",
        takes: "12 min cold, 5 s warm",
        profile: Profile::Release,
        run: build::main,
    },
    #[cfg(unix)]
    Verb {
        name: "test",
        options: "[--all] [--only PART] [--self-test]",
        does: "every test that needs no foreign server, browser or tool; `--all` adds those that do, and \
               repeats nothing that passed just before on the same tree; `--self-test` makes each vectors \
               file wrong and wants every language to notice",
        takes: "9 min cold, 7 min warm",
        profile: Profile::Dev,
        run: test::main,
    },
    #[cfg(unix)]
    Verb {
        name: "check",
        options: "[--only PROOF] [--self-test]",
        does: "formatting, lints, who may know whom, the purity of the core; `--self-test` gives \
               each proof something that it must refuse",
        takes: "4 min cold, 25 s warm, 10 s the self-test",
        profile: Profile::Dev,
        run: check::main,
    },
    #[cfg(unix)]
    Verb {
        name: "simulate",
        options: "[--hours N | --seconds N | --worlds N] [--seed N] [--bugs [--only NAME]]",
        does: "holders, stores and faults in one process, every ID checked; `--bugs` switches each \
               known mistake on and tells what found it; `--seed` alone replays a world",
        takes: "a minute unless said, after a build of 30 s",
        profile: Profile::Release,
        run: simulate::main,
    },
    #[cfg(unix)]
    Verb {
        name: "bench",
        options: "[--only core|store|leaf|databases|holders|python|fork|node|edge]",
        does: "every figure that the README states, as a ratio to the floor of the same run",
        takes: "6 min, after a build",
        profile: Profile::Release,
        run: bench::main,
    },
    Verb {
        name: "release",
        options: "[--only PART] [--target TRIPLE] [--rehearse]",
        does: "what a release has, into `dist/release`: static binaries, wheels, npm packages, bills of \
               materials, sums; `--rehearse` looks at all of it, and at the image, the chart, the unit \
               and the workflows",
        takes: "30 min cold",
        profile: Profile::Release,
        run: release::main,
    },
    #[cfg(unix)]
    Verb {
        name: "nightly",
        options: "[--short] [--only fuzz|component-rust|component-bench|kills|simulate|release]",
        does: "what takes too long for each change: a quarter of an hour of inputs that nobody has seen, the \
               component in a Rust program, its figures, ten kills of servers and of each database under load, half an hour of simulated worlds that are new each time, and the release, rehearsed; \
               `--short` has seconds of inputs and worlds and one kill, to see that all of it runs",
        takes: "90 min cold, 35 min the short one",
        profile: Profile::Release,
        run: nightly::main,
    },
    #[cfg(unix)]
    Verb {
        name: "bare",
        options: "[--keep DIR] [--without PREREQUISITE] [COMMAND …]",
        does: "makes a Debian that has what the README names and nothing else, and runs `cargo xtask run \
               --seconds 10` and `cargo xtask test` there, or COMMAND, in a clone of the committed tree, as \
               an unprivileged user with an empty home",
        takes: "a minute for the Debian, then what the command takes cold",
        profile: Profile::Dev,
        run: bare::main,
    },
    #[cfg(unix)]
    Verb {
        name: "setup-ci",
        options: "",
        does: "what a fresh Debian lacks: packages, Rust targets and components",
        takes: "a second when nothing is missing, else a minute",
        profile: Profile::Release,
        run: setup_ci::main,
    },
];

/// Finds the verb and runs it.
pub fn dispatch(words: &[String]) -> Outcome {
    let Some((name, rest)) = words.split_first() else {
        help();
        return Ok(());
    };
    if ["--help", "-h", "help"].contains(&name.as_str()) || rest.iter().any(|w| w == "--help") {
        help();
        return Ok(());
    }
    match VERBS.iter().find(|verb| verb.name == name) {
        Some(verb) => {
            project::set_profile(verb.profile);
            (verb.run)(Args::new(verb.name, rest))
        }
        None => Err(format!("there is no `{name}`: see `cargo xtask --help`")),
    }
}

/// What each is called.
#[cfg(unix)]
pub fn names() -> Vec<&'static str> {
    VERBS.iter().map(|verb| verb.name).collect()
}

fn help() {
    println!("cargo xtask VERB: every job of leafid, on two cores; xtask itself builds in 30 s\n");
    for verb in VERBS {
        println!("  {} {}\n      {} ({})", verb.name, verb.options, verb.does, verb.takes);
    }
}

#[cfg(test)]
mod tests {
    use super::{VERBS, dispatch};

    #[test]
    fn an_unknown_verb_is_refused() {
        assert!(dispatch(&["biuld".to_owned()]).is_err());
        assert!(VERBS.iter().all(|verb| !verb.does.is_empty() && !verb.takes.is_empty()));
    }
}
