//! What files of TypeScript import from one another.

use std::path::{Path, PathBuf};

use super::super::imports::{imports, normal};
use super::{Edges, Sources};

/// The relative imports, those for types alone as well.
pub fn edges(sources: &Sources) -> Edges {
    let mut edges = Edges::new();
    for (file, text) in sources.iter().filter(|(file, _)| is_script(file)) {
        let folder = file.parent().unwrap_or(Path::new(""));
        for import in imports(text).iter().filter(|import| import.starts_with('.')) {
            let other = PathBuf::from(normal(&folder.join(import))).with_extension("ts");
            if sources.contains_key(&other) {
                edges.entry(file.clone()).or_default().insert(other);
            }
        }
    }
    edges
}

fn is_script(file: &Path) -> bool {
    file.extension().is_some_and(|ending| ending == "ts")
}

#[cfg(test)]
mod tests {
    use std::path::PathBuf;

    use super::super::{Sources, circles};
    use super::edges;

    #[test]
    fn a_circle_of_types_is_one_too() {
        let said = [
            ("s/a.ts", "import { b } from './c/b.js'\n"),
            ("s/c/b.ts", "import type { A } from '../a.js'\nimport { d } from 'd'\n"),
        ];
        let sources: Sources =
            said.iter().map(|(file, text)| (PathBuf::from(file), (*text).to_owned())).collect();
        let found = circles(&edges(&sources));
        assert_eq!(found, [["s/a.ts", "s/c/b.ts"].map(PathBuf::from).to_vec()]);
    }
}
