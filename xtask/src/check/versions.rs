//! One version: what Cargo cannot tie to the workspace's is compared here, and so are the copies of the
//! licences that packages need beside their manifest.

use crate::{Outcome, files, project};

/// Lines that have the version, each in a file.
const LINES: &[(&str, &str)] = &[
    ("deploy/helm/leafid/Chart.yaml", "version: "),
    ("deploy/helm/leafid/Chart.yaml", "appVersion: "),
];
/// Headings of the changelog of which the first must be one: what is not released, or the version.
const UNRELEASED: &str = "Unreleased";
const LICENCES: &[&str] = &["LICENSE-APACHE", "LICENSE-MIT"];
/// Where else they lie: a package's list of licences reaches no folder above it.
const COPIES: &[&str] = &["bindings-py"];

/// Every place.
pub fn check() -> Outcome<String> {
    let version = project::version();
    let mut wrong = Vec::new();
    for (file, begin) in LINES {
        wrong.extend(other_line(file, &files::read(&project::at(file))?, begin, version));
    }
    wrong.extend(other_heading(&files::read(&project::at("CHANGELOG.md"))?, version));
    for name in LICENCES {
        for folder in COPIES {
            let copy = project::at(folder).join(name);
            if files::read(&copy)? != files::read(&project::at(name))? {
                wrong.push(format!("`{}` differs from `{name}`", files::shown(&copy)));
            }
        }
    }
    if wrong.is_empty() { Ok(format!("{version} everywhere")) } else { Err(wrong.join("\n")) }
}

/// The complaint about a file whose line has another version.
pub fn other_line(file: &str, text: &str, begin: &str, version: &str) -> Option<String> {
    let found: Vec<_> = text.lines().filter_map(|line| line.strip_prefix(begin)).collect();
    (found != [version]).then(|| format!("`{file}`: `{begin}` is {found:?}, and Cargo's {version}"))
}

/// The complaint about a changelog whose newest heading is neither the version nor of what comes.
pub fn other_heading(changes: &str, version: &str) -> Option<String> {
    let mut headings = changes.lines().filter_map(|line| line.strip_prefix("## "));
    let mut named =
        headings.by_ref().map(|heading| heading.split_whitespace().next().unwrap_or(""));
    let newest = named.next().unwrap_or_default();
    let released = if newest == UNRELEASED { named.next().unwrap_or_default() } else { newest };
    (released != version)
        .then(|| format!("CHANGELOG.md: the newest version is `{released}`, and Cargo's {version}"))
}
