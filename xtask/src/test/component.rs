//! The component in Python's wasmtime: its suite, its replay of the vectors, and the examples.

use std::path::{Path, PathBuf};

use super::{runners, suites};
use crate::build::component;
use crate::process::{Run, Said};
use crate::report::Report;
use crate::{Outcome, build, consumers, files, project, tools};

const REQUIREMENTS: &str = "bindings-component/tests/requirements.txt";
const SUITE: &str = "bindings-component/tests";
/// What the JavaScript example needs beyond what Node has.
const SCRIPTS: &str = "examples/component-js";

/// The whole suite.
pub fn suite() -> Outcome<Report> {
    for recipe in [component::COUNTING, component::STORE] {
        recipe.make()?;
    }
    runners::pytest(pytest(&["-s", SUITE], &project::at("tests/vectors"))?)
}

/// The vectors only.
pub fn replay(vectors: &Path) -> Outcome<Run> {
    pytest(&["-s", "bindings-component/tests/test_vectors.py", "-k", "test_vectors["], vectors)
}

/// The examples in Python and JavaScript, each over a server of its own and over a database.
pub fn examples() -> Outcome<Report> {
    build::need(&["server", "component"])?;
    let python = interpreter()?;
    let script = Run::new(&python).arg("examples/component-python/main.py");
    let said = [
        zero(environment(script).tee()?)?,
        zero(environment(Run::new("node").arg("main.mjs").dir(scripts()?)).tee()?)?,
    ];
    Ok(said.join("; ").into())
}

/// The example in Rust, which has a lock file of its own: wasmtime is seven CPU minutes where it is
/// built first.
pub fn in_rust() -> Outcome<Report> {
    zero(rust_example()?.tee()?).map(Report::from)
}

/// What a call costs there.
pub fn bench_in_rust() -> Outcome<Report> {
    component::COUNTING.make()?;
    let said = rust_example()?.args(["--", "--bench"]).tee()?;
    let figures: Vec<_> = said.stdout.lines().filter(|line| line.contains(" ns")).collect();
    if said.success {
        Ok(figures.join("; ").into())
    } else {
        Err(format!("a call costs too much: {}", figures.join("; ")))
    }
}

fn rust_example() -> Outcome<Run> {
    build::need(&["server", "component"])?;
    let manifest = project::at("examples/component-rust/Cargo.toml");
    let run = Run::new("cargo").args(["run", "--locked", "--manifest-path"]).arg(manifest);
    let target = project::target().join("component-rust");
    Ok(environment(run.env("CARGO_TARGET_DIR", target)))
}

/// The closing line of an example that found no duplicates among as many IDs as it has to issue.
fn zero(said: Said) -> Outcome<String> {
    let lines = said.stdout.lines().filter(|line| line.contains("duplicates: "));
    let lines: Vec<_> = lines.collect();
    let fine = |line: &&str| line.ends_with("duplicates: 0") && line.contains("100000 IDs");
    if said.success && lines.len() >= 2 && lines.iter().all(fine) {
        return Ok(lines.join("; "));
    }
    Err(format!("the example did not end well: {}", lines.join("; ")))
}

fn pytest(words: &[&str], vectors: &Path) -> Outcome<Run> {
    build::need(&["component"])?;
    let run = suites::pytest_of(&interpreter()?, words);
    Ok(environment(run).env("LEAFID_VECTORS", vectors))
}

fn environment(run: Run) -> Run {
    suites::with_places(run, &project::at("tests/vectors"))
        .env("LEAFID_COMPONENTS", component::folder())
}

/// An environment with pytest and wasmtime; its interpreter.
pub fn interpreter() -> Outcome<PathBuf> {
    tools::venv("component", &[consumers::PYTEST, "-r", REQUIREMENTS])
}

/// The JavaScript example, copied to where its packages can be installed.
fn scripts() -> Outcome<PathBuf> {
    let folder = project::at(".cache/component-js");
    for file in files::walk(&project::at(SCRIPTS))? {
        let below = file.strip_prefix(project::at(SCRIPTS)).unwrap_or(&file);
        files::write(&folder.join(below), files::bytes(&file)?)?;
    }
    let manifest = files::read(&folder.join("package.json"))?;
    files::once(&folder.join("installed"), &manifest, || {
        tools::npm_install(&folder, ["--no-save", "--prefer-offline"])
    })?;
    Ok(folder)
}

#[cfg(test)]
mod tests {
    use super::{Said, zero};

    fn said(stdout: &str) -> Said {
        Said { success: true, stdout: stdout.to_owned(), stderr: String::new() }
    }

    #[test]
    fn an_example_ends_with_no_duplicates_twice() {
        let fine = "a: 100000 IDs, duplicates: 0\nb: 100000 IDs, duplicates: 0\n";
        assert!(zero(said(fine)).is_ok());
        for wrong in [
            "a: 100000 IDs, duplicates: 0\n",
            "a: 100000 IDs, duplicates: 0\nb: 100000 IDs, duplicates: 10\n",
            "a: 100000 IDs, duplicates: 0\nb: 10 IDs, duplicates: 0\n",
        ] {
            assert!(zero(said(wrong)).is_err(), "{wrong}");
        }
        assert!(zero(Said { success: false, ..said(fine) }).is_err());
    }
}
