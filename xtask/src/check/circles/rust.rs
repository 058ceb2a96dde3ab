//! What files of Rust import.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use super::{Edges, Sources};

/// A module of a crate by its names; the crate's root has none.
type Module = Vec<String>;

/// The modules of one crate.
type Modules<'a> = BTreeMap<Module, (&'a Path, Vec<Vec<String>>, Vec<Vec<String>>)>;

/// The imports within each crate. What a file above re-exports is the file's that has it.
pub fn edges(sources: &Sources) -> Edges {
    let mut crates: BTreeMap<&Path, Modules<'_>> = BTreeMap::new();
    for (file, text) in sources {
        if let Some((home, module)) = module(file) {
            let text = without_tests(text);
            let uses = (file.as_path(), uses(text, false), uses(text, true));
            crates.entry(home).or_default().insert(module, uses);
        }
    }
    let mut edges = Edges::new();
    for modules in crates.values() {
        for (module, (file, uses, _)) in modules {
            for path in uses {
                let target = target(modules, module, path);
                // The files above are one with it.
                if let Some(target) = target.filter(|target| !module.starts_with(target)) {
                    let other: PathBuf = modules[&target].0.to_owned();
                    edges.entry((*file).to_owned()).or_default().insert(other);
                }
            }
        }
    }
    edges
}

/// `core/src/line/own.rs`: the crate's sources, and `line::own`.
fn module(file: &Path) -> Option<(&Path, Module)> {
    let home = file.ancestors().find(|above| above.ends_with("src"))?;
    if file.extension()? != "rs" {
        return None;
    }
    let below = file.strip_prefix(home).ok()?.with_extension("");
    let mut module: Module = below.iter().map(|part| part.to_string_lossy().into_owned()).collect();
    if module.last().is_some_and(|last| last == "mod") || module == ["lib"] || module == ["main"] {
        module.pop();
    }
    Some((home, module))
}

/// Where a path of a module leads, past what is re-exported on the way; `None` for another crate.
fn target(modules: &Modules<'_>, module: &Module, path: &[String]) -> Option<Module> {
    let mut whole = absolute(modules, module, path)?;
    loop {
        let depth = (0..=whole.len()).rev().find(|depth| modules.contains_key(&whole[..*depth]))?;
        let (target, rest) = (whole[..depth].to_vec(), &whole[depth..]);
        let Some(name) = rest.first() else { return Some(target) };
        let (_, _, exports) = &modules[&target];
        let exported = exports.iter().filter(|path| path.last() == Some(name));
        let mut exported = exported.filter_map(|path| absolute(modules, &target, path));
        match exported.next() {
            Some(further) if further != whole => whole = further,
            _ => return Some(target),
        }
    }
}

/// A path from the crate's root on.
fn absolute(modules: &Modules<'_>, module: &Module, path: &[String]) -> Option<Module> {
    let (first, rest) = path.split_first()?;
    let supers = path.iter().take_while(|name| *name == "super").count();
    let (base, rest) = match first.as_str() {
        "crate" => (Module::new(), rest),
        "self" => (module.clone(), rest),
        "super" => (module[..module.len().checked_sub(supers)?].to_vec(), &path[supers..]),
        _ => {
            let own: Module = module.iter().chain([first]).cloned().collect();
            return modules.contains_key(&own).then(|| [&own[..], rest].concat());
        }
    };
    Some([&base[..], rest].concat())
}

/// What stands before the tests of a file.
fn without_tests(text: &str) -> &str {
    text.split("#[cfg(test)]\nmod ").next().unwrap_or_default()
}

/// The paths of each `use`, or of those alone that are public.
fn uses(text: &str, public: bool) -> Vec<Vec<String>> {
    let mut found = Vec::new();
    let mut rest = text;
    while let Some((line, after)) = rest.split_once('\n') {
        let word = line.trim_start();
        let visible = word.strip_prefix("pub").map(|rest| match rest.split_once(") ") {
            Some((scope, rest)) if scope.starts_with('(') => rest,
            _ => rest.trim_start(),
        });
        let tree = visible.unwrap_or(word).strip_prefix("use ");
        if let Some(tree) = tree.filter(|_| visible.is_some() || !public) {
            let begun = rest.len() - after.len() - 1 - tree.len();
            let tree = rest[begun..].split(';').next().unwrap_or_default();
            paths(&[], tree, &mut found);
        }
        rest = after;
    }
    found
}

/// `a::{b, c::d as e}`: `a::b` and `a::c::d`.
fn paths(above: &[String], tree: &str, found: &mut Vec<Vec<String>>) {
    let (names, list) = match tree.split_once('{') {
        Some((names, list)) => (names, list.rsplit_once('}').map(|(list, _)| list)),
        None => (tree.split(" as ").next().unwrap_or_default(), None),
    };
    let names = names.split("::").map(str::trim).filter(|name| !name.is_empty());
    let path: Vec<String> = above.iter().cloned().chain(names.map(str::to_owned)).collect();
    let Some(list) = list else {
        let is_self = path.len() > 1 && path.last().is_some_and(|name| name == "self");
        let end = path.len() - usize::from(is_self);
        found.extend((end > 0).then(|| path[..end].to_vec()));
        return;
    };
    let (mut depth, mut begun) = (0_usize, 0);
    for (at, char) in list.char_indices().chain([(list.len(), ',')]) {
        match char {
            '{' => depth += 1,
            '}' => depth = depth.saturating_sub(1),
            ',' if depth == 0 => {
                if !list[begun..at].trim().is_empty() {
                    paths(&path, &list[begun..at], found);
                }
                begun = at + 1;
            }
            _ => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use std::path::PathBuf;

    use super::super::{Sources, circles};
    use super::{edges, uses};

    fn sources(said: &[(&str, &str)]) -> Sources {
        said.iter().map(|(file, text)| (PathBuf::from(file), (*text).to_owned())).collect()
    }

    #[test]
    fn a_use_names_paths() {
        let text = "use a::{b, c::{self, d as e},\n    f::*};\npub(crate) use g;\n// use h;\n";
        let names = |public| uses(text, public).into_iter().map(|path| path.join("::"));
        let all: Vec<_> = names(false).collect();
        assert_eq!(all, ["a::b", "a::c", "a::c::d", "a::f::*", "g"]);
        assert_eq!(names(true).collect::<Vec<_>>(), ["g"]);
    }

    #[test]
    fn files_that_need_each_other_are_a_circle_and_those_of_one_folder_with_its_mod_are_none() {
        let parts = sources(&[
            ("c/src/lib.rs", "mod a;\npub use a::One;\npub struct Two;\n"),
            ("c/src/a/mod.rs", "mod b;\npub use b::One;\npub struct Three;\n"),
            ("c/src/a/b.rs", "use super::Three;\nuse crate::Two;\n"),
        ]);
        assert!(circles(&edges(&parts)).is_empty());
        let circle = sources(&[
            ("c/src/lib.rs", "mod a;\nmod d;\npub use a::One;\n"),
            ("c/src/a.rs", "use crate::d::Four;\n"),
            ("c/src/d.rs", "use super::{One};\n#[cfg(test)]\nmod tests {}\n"),
        ]);
        let found = circles(&edges(&circle));
        assert_eq!(found, [["c/src/a.rs", "c/src/d.rs"].map(PathBuf::from).to_vec()]);
    }
}
