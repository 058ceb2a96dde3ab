//! Installs the products as a user does: a virtual environment with the wheel, a folder with the npm packages.
//! Suites, benches and the stream run there, so that they see what is published and no sources. Each purpose
//! has its own environment with only what it needs.

use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use crate::process::Run;
use crate::tools::{self, npm_install};
use crate::{Outcome, build, files, project};

/// The runner of the Python suites; a suite's other needs are in its own list.
pub const PYTEST: &str = "pytest==8.4.2";
/// The parts of the checkout that `tests/consumers` uses, and their names there.
const SHOWN: &[(&str, &str)] = &[
    ("bindings-js/tests", "js"),
    ("tests/consumers/suites", "suites"),
    ("tests/consumers/apps", "apps"),
];
/// The Node for suites with SQLite, where the installed Node has none.
const NODE_WITH_SQLITE: &str = "24.21.0";

/// Makes an environment with the wheel and these arguments of `pip install`; returns its interpreter.
pub fn python(name: &str, words: &[&str]) -> Outcome<PathBuf> {
    with_wheel(tools::venv(name, words)?, &build::product("wheel")?)
}

/// Installs a wheel of the package into an environment.
pub fn with_wheel(python: PathBuf, wheel: &Path) -> Outcome<PathBuf> {
    with(&python, "wheel", wheel)?;
    let place = Run::new(&python).quiet().args(["-c", "import leafid; print(leafid.__file__)"]);
    let place = place.without("PYTHONPATH").output()?;
    match place.contains("site-packages") {
        true => Ok(python),
        false => Err(format!("`import leafid` finds `{}`, not the wheel", place.trim())),
    }
}

/// Installs a product, a wheel, into an environment.
pub fn with(python: &Path, product: &str, wheel: &Path) -> Outcome {
    let installed = python.with_file_name(format!("leafid-{product}-installed"));
    files::once(&installed, &files::stamps(&[wheel])?, || {
        let install = ["-m", "pip", "install", "--quiet", "--no-index", "--no-deps"];
        Run::new(python).args(install).arg("--force-reinstall").arg(wheel).done()
    })
}

/// Makes a folder with both npm packages.
pub fn node() -> Outcome<PathBuf> {
    let folder = project::at(".cache/consumer-js");
    with_tarballs(&folder, &["--offline"], true, &["npm"])?;
    Ok(folder)
}

/// As [`node`], with a fresh copy of the JavaScript suites and what they share with others.
pub fn node_with_suites() -> Outcome<PathBuf> {
    tools::node_modules_of_tests()?;
    node_with_sqlite()?;
    let folder = node()?;
    copy("bindings-js/tests", &folder.join("tests"))?;
    Ok(folder)
}

/// As [`node_with_suites`], with these libraries.
pub fn node_beside(packages: &[&str]) -> Outcome<PathBuf> {
    let folder = project::at(".cache/consumer-js-peers");
    files::once(&folder.join("peers-installed"), &packages.join("\n"), || {
        files::remove(&folder)?;
        empty_package(&folder)?;
        npm_install(&folder, packages)
    })?;
    with_tarballs(&folder, &["--prefer-offline"], false, &["npm"])?;
    copy("bindings-js/tests", &folder.join("tests"))?;
    Ok(folder)
}

/// Makes a folder with all npm packages, the bundlers, runners and libraries to try them in, and the
/// programs and suites of `tests/consumers`.
pub fn programs() -> Outcome<PathBuf> {
    tools::node_modules_of_tests()?;
    let (sources, folder) =
        (project::at("tests/consumers"), project::at(".cache/consumer-programs"));
    let lock = files::read(&sources.join("package-lock.json"))?;
    files::once(&folder.join("programs-installed"), &lock, || {
        files::remove(&folder.join("installed"))?;
        for name in ["package.json", "package-lock.json", ".npmrc"] {
            files::install(&sources.join(name), &folder.join(name))?;
        }
        npm_install(&folder, ["--prefer-offline", "--no-save"])
    })?;
    let words = ["--prefer-offline", "--no-save"];
    with_tarballs(&folder, &words, false, &["npm", "npm-server"])?;
    for (from, name) in SHOWN {
        copy(from, &folder.join(name))?;
    }
    Ok(folder)
}

/// Installs these products, and beside them the inner parts that tests use, unless they are the last built ones; `alone`
/// empties the folder first. Parts of both lanes use one folder, so only one installs at a time.
fn with_tarballs(folder: &Path, words: &[&str], alone: bool, products: &[&str]) -> Outcome {
    static INSTALLING: Mutex<()> = Mutex::new(());
    let _installing = INSTALLING.lock().unwrap_or_else(PoisonError::into_inner);
    build::need(products)?;
    let tarballs: Vec<_> = products.iter().flat_map(|name| build::npm_tarballs(name)).collect();
    let stamps = files::stamps(&tarballs.iter().map(PathBuf::as_path).collect::<Vec<_>>())?;
    files::once(&folder.join("installed"), &stamps, || {
        if alone {
            files::remove(folder)?;
            empty_package(folder)?;
        }
        let words = words.iter().map(PathBuf::from);
        npm_install(folder, words.chain(tarballs.iter().cloned()))?;
        let inner = project::target().join("npm/stage/leafid-inner.js");
        files::install(&inner, &folder.join("node_modules/leafid/node/inner.js"))
    })
}

/// Installs a Node with SQLite for all consumers below `.cache`, unless this Node has it.
fn node_with_sqlite() -> Outcome {
    if Run::new("node").quiet().args(["-e", "require('node:sqlite')"]).listen()?.success {
        return Ok(());
    }
    let folder = project::at(".cache");
    files::once(&folder.join("node-with-sqlite"), NODE_WITH_SQLITE, || {
        empty_package(&folder)?;
        let platform = project::npm_platform().trim_end_matches("-gnu");
        npm_install(&folder, ["--no-save", &format!("node-{platform}@{NODE_WITH_SQLITE}")])
    })
}

fn empty_package(folder: &Path) -> Outcome {
    let manifest = folder.join("package.json");
    let text = "{ \"private\": true, \"type\": \"module\" }\n";
    if manifest.exists() { Ok(()) } else { files::write(&manifest, text).map(drop) }
}

fn copy(from: &str, to: &Path) -> Outcome {
    files::remove(to)?;
    files::copy_dir(&project::at(from), to)
}
