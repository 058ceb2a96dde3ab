//! What files of a Python package import from one another.

use std::path::{Path, PathBuf};

use super::{Edges, Sources};

/// The relative imports of the files below a folder, those of a function and those for types alone
/// as well.
pub fn edges(sources: &Sources, folder: &Path) -> Edges {
    let mut edges = Edges::new();
    for (file, text) in sources.iter().filter(|(file, _)| file.starts_with(folder)) {
        for (dots, module, names) in froms(text) {
            let Some(base) = file.ancestors().nth(dots) else { continue };
            let base = module.split('.').filter(|part| !part.is_empty()).fold(
                base.to_owned(),
                |mut base: PathBuf, part| {
                    base.push(part);
                    base
                },
            );
            for name in names {
                let places = [
                    base.join(&name).with_extension("py"),
                    base.join(&name).join("__init__.py"),
                    base.with_extension("py"),
                    base.join("__init__.py"),
                ];
                let found = places.into_iter().find(|place| sources.contains_key(place));
                if let Some(other) = found.filter(|other| other != file) {
                    edges.entry(file.clone()).or_default().insert(other);
                }
            }
        }
    }
    edges
}

/// `from ..a.b import (c, d as e)`: two dots, `a.b`, and `c` and `d`.
fn froms(text: &str) -> Vec<(usize, &str, Vec<String>)> {
    let mut found = Vec::new();
    for (at, _) in text.match_indices("from .") {
        let begins_line = text[..at].rsplit('\n').next().is_some_and(|line| line.trim().is_empty());
        let Some((path, names)) = text[at + "from ".len()..].split_once(" import ") else {
            continue;
        };
        if !begins_line || path.contains(char::is_whitespace) {
            continue;
        }
        let module = path.trim_start_matches('.');
        let end = if names.starts_with('(') { ')' } else { '\n' };
        let names = names.trim_start_matches('(').split(end).next().unwrap_or_default();
        let name = |name: &str| name.split_whitespace().next().map(str::to_owned);
        found.push((
            path.len() - module.len(),
            module,
            names.split(',').filter_map(name).collect(),
        ));
    }
    found
}

#[cfg(test)]
mod tests {
    use std::path::{Path, PathBuf};

    use super::super::{Sources, circles};
    use super::{edges, froms};

    #[test]
    fn an_import_names_modules() {
        let text =
            "from . import a\nfrom ..b.c import (\n    d,\n    e as f,\n)\n# from .g import h\n";
        let names = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect();
        assert_eq!(froms(text), [(1, "", names(&["a"])), (2, "b.c", names(&["d", "e"]))]);
    }

    #[test]
    fn a_circle_of_types_is_one_too() {
        let said = [
            ("p/a.py", "from .b import B\n"),
            ("p/b.py", "if TYPE_CHECKING:\n    from .c.d import D\n"),
            ("p/c/__init__.py", ""),
            ("p/c/d.py", "from .. import a\n"),
        ];
        let sources: Sources =
            said.iter().map(|(file, text)| (PathBuf::from(file), (*text).to_owned())).collect();
        let found = circles(&edges(&sources, Path::new("p")));
        assert_eq!(found, [["p/a.py", "p/b.py", "p/c/d.py"].map(PathBuf::from).to_vec()]);
    }
}
