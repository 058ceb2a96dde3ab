//! No circle of imports: of the files of one crate, one Python package or the TypeScript, none is
//! reached again by what it imports. A Rust file may name what the files above it declare, as
//! `mod.rs` and its parts belong together.

mod python;
mod rust;
mod scripts;

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use crate::{Outcome, files, project};

/// Which file imports which, by their paths in the checkout.
pub type Edges = BTreeMap<PathBuf, BTreeSet<PathBuf>>;

/// The sources by their paths in the checkout, with what is in them.
pub type Sources = BTreeMap<PathBuf, String>;

const PYTHON: &str = "bindings-py/python";

/// Every file of every language.
pub fn check() -> Outcome<String> {
    let edges = edges(&sources()?);
    let count: usize = edges.values().map(BTreeSet::len).sum();
    match circles(&edges).first() {
        Some(circle) => Err(complaint(circle, &edges)),
        // The Rust alone has more than a thousand.
        None if count < 1_000 => Err(format!("only {count} imports were found")),
        None => Ok(format!("{count} imports, no circle")),
    }
}

/// The files as they are.
pub fn sources() -> Outcome<Sources> {
    let mut sources = Sources::new();
    for file in files::walk(project::root())? {
        let below = file.strip_prefix(project::root()).unwrap_or(&file).to_owned();
        let ending = below.extension().and_then(|ending| ending.to_str()).unwrap_or_default();
        if ["rs", "py", "ts"].contains(&ending) && !is_apart(&below) {
            sources.insert(below, files::read(&file)?);
        }
    }
    Ok(sources)
}

/// What they import.
pub fn edges(sources: &Sources) -> Edges {
    let mut edges = rust::edges(sources);
    edges.extend(python::edges(sources, Path::new(PYTHON)));
    edges.extend(scripts::edges(sources));
    edges
}

/// Tests may import whatever they test.
fn is_apart(file: &Path) -> bool {
    let is_test = |part: &str| matches!(part, "tests" | "tests.rs" | "node_modules" | "target");
    file.iter().filter_map(|part| part.to_str()).any(is_test)
}

/// The complaint about one.
pub fn complaint(circle: &[PathBuf], edges: &Edges) -> String {
    let mut said = "these files import each other in a circle:".to_owned();
    for file in circle {
        for other in edges.get(file).into_iter().flatten().filter(|other| circle.contains(other)) {
            said += &format!("\n  {} -> {}", file.display(), other.display());
        }
    }
    said
}

/// Sets of files of which each reaches all others of its set.
pub fn circles(edges: &Edges) -> Vec<Vec<PathBuf>> {
    let mut found: Vec<Vec<PathBuf>> = Vec::new();
    for file in edges.keys() {
        if found.iter().any(|circle| circle.contains(file)) {
            continue;
        }
        let reached = reach(edges, file);
        if reached.contains(file) {
            let is_same = |other: &&PathBuf| reach(edges, other).contains(file);
            found.push(reached.iter().filter(is_same).cloned().collect());
        }
    }
    found
}

/// What a file imports, and what that imports, and so on.
fn reach(edges: &Edges, file: &Path) -> BTreeSet<PathBuf> {
    let (mut reached, mut next) = (BTreeSet::new(), vec![file.to_owned()]);
    while let Some(file) = next.pop() {
        for other in edges.get(&file).into_iter().flatten() {
            if reached.insert(other.clone()) {
                next.push(other.clone());
            }
        }
    }
    reached
}

#[cfg(test)]
mod tests {
    use std::path::PathBuf;

    use super::{Edges, circles, complaint};

    fn edges(said: &[(&str, &str)]) -> Edges {
        let mut edges = Edges::new();
        for (from, to) in said {
            edges.entry(PathBuf::from(from)).or_default().insert(PathBuf::from(to));
        }
        edges
    }

    #[test]
    fn a_circle_is_found_wherever_it_is_entered() {
        assert!(circles(&edges(&[("a", "b"), ("b", "c"), ("a", "c")])).is_empty());
        let edges = edges(&[("a", "b"), ("b", "c"), ("c", "d"), ("d", "b"), ("x", "a")]);
        let found = circles(&edges);
        assert_eq!(found, [["b", "c", "d"].map(PathBuf::from).to_vec()]);
        assert!(complaint(&found[0], &edges).ends_with("b -> c\n  c -> d\n  d -> b"));
    }
}
