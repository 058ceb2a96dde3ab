//! `cargo xtask test`: everything that CI does, part by part. What a suite must look like to be
//! run here stands in `xtask/README.md`.

pub mod component;
mod description;
mod interpreters;
pub mod mutate;
mod pytest;
pub mod rust;
mod seen;
mod suites;
mod vectors;

use crate::args::Args;
use crate::build;
use crate::summary::Summary;
use crate::{Outcome, check, project, tools};

/// One part: it gives back its runner's closing line.
struct Part {
    name: &'static str,
    /// A file without which there is nothing to run.
    needs: Option<&'static str>,
    run: fn() -> Outcome<String>,
}

const PARTS: &[Part] = &[
    // First: the build brings generated files up to date, and this must see them as they were committed.
    Part { name: "check", needs: None, run: check::proofs },
    Part { name: "check-self-test", needs: None, run: check::controls },
    Part { name: "build", needs: None, run: build::all },
    Part { name: "rust", needs: None, run: rust::workspace },
    Part { name: "models", needs: Some("core/src/line/shared.rs"), run: rust::models },
    Part { name: "description", needs: Some("server/tests/openapi"), run: description::agrees },
    Part { name: "dashboard", needs: Some("server/tests/dashboard"), run: seen::dashboard },
    Part { name: "alerts", needs: Some("deploy/prometheus"), run: seen::alerts },
    Part { name: "python", needs: Some("bindings-py/tests"), run: suites::python },
    Part { name: "interpreters", needs: Some("bindings-py/tests"), run: interpreters::all },
    Part { name: "types", needs: Some("bindings-js/tests/types"), run: suites::types },
    Part { name: "node", needs: Some("bindings-js/tests/node"), run: suites::node },
    Part { name: "workerd", needs: Some("bindings-js/tests/workerd"), run: suites::workerd },
    Part { name: "consumers", needs: Some("tests/consumers"), run: suites::programs },
    Part { name: "component", needs: Some("bindings-component/tests"), run: component::suite },
    Part { name: "examples", needs: Some("examples/component-js"), run: component::examples },
    Part { name: "vectors", needs: Some("tests/vectors"), run: vectors::compare },
    Part { name: "vectors-self-test", needs: Some("tests/vectors"), run: vectors::self_test },
    Part { name: "e2e", needs: Some("tests/e2e"), run: rust::end_to_end },
    Part { name: "simulate", needs: Some("tests/simulation"), run: rust::simulate },
];

/// The verb.
pub fn main(mut args: Args) -> Outcome {
    let self_test = args.flag("--self-test");
    let only = args.value("--only")?;
    args.finish()?;
    let only = if self_test { Some("vectors-self-test".to_owned()) } else { only };
    let chosen: Vec<_> =
        PARTS.iter().filter(|part| only.as_deref().is_none_or(|only| only == part.name)).collect();
    if chosen.is_empty() {
        let names: Vec<_> = PARTS.iter().map(|part| part.name).collect();
        return Err(format!(
            "there is no part `{}`: {}",
            only.unwrap_or_default(),
            names.join(", ")
        ));
    }
    if only.is_none() {
        tools::all_languages()?;
    }
    let mut summary = Summary::default();
    for part in chosen {
        summary.part(part.name, || run(part));
    }
    summary.close("test")
}

fn run(part: &Part) -> Outcome<String> {
    let Some(needed) = part.needs.filter(|needed| !project::at(needed).exists()) else {
        return (part.run)();
    };
    let message = format!("NOT RUN: there is no `{needed}`");
    if project::in_ci() { Err(message) } else { Ok(message) }
}
