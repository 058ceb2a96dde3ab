//! Who may know whom inside a crate: an allow-list over what its files name.

use std::path::Path;

use crate::{Outcome, files, project};

/// The crate whose folders keep to a list.
const CRATE: &str = "bindings-py/src";

/// A folder (or file) of the crate, and those that it may name, itself included. The lowest one is
/// what a client for Rust programs will be cut from: it knows no Python.
const MAY_NAME: &[(&str, &[&str])] = &[
    ("client", &["client"]),
    ("values", &["client", "values"]),
    ("registry.rs", &["client", "values"]),
    ("testing", &["client", "values", "testing"]),
    ("stores", &["client", "values", "testing", "stores"]),
    ("generators", &["client", "values", "testing", "stores", "generators"]),
    ("lib.rs", &["client", "values", "registry", "testing", "stores", "generators"]),
];

/// What the files of a folder must not name although it is no part of the crate.
const MUST_NOT_NAME: &[(&str, &str)] = &[("client", "pyo3"), ("client", "super::super")];

/// The arrows between the folders of the crate.
pub fn check() -> Outcome<String> {
    let (mut files, mut wrong) = (0, Vec::new());
    for file in files::walk(&project::at(CRATE))? {
        let below = file.strip_prefix(project::at(CRATE)).unwrap_or(&file);
        wrong.extend(complaints(below, &files::read(&file)?));
        files += 1;
    }
    if wrong.is_empty() {
        Ok(format!("{files} files of {} folders keep to the list", MAY_NAME.len()))
    } else {
        Err(wrong.join("\n"))
    }
}

/// The complaints about one file.
pub fn complaints(file: &Path, text: &str) -> Vec<String> {
    let shown = format!("`{CRATE}/{}`", file.display());
    let Some((folder, allowed)) = MAY_NAME.iter().find(|(folder, _)| file.starts_with(folder))
    else {
        return vec![format!("{shown} is not in the list of `check/folders.rs`")];
    };
    let mut wrong = Vec::new();
    for line in text.lines().filter(|line| !line.trim_start().starts_with("//")) {
        for (_, word) in
            MUST_NOT_NAME.iter().filter(|(of, word)| of == folder && line.contains(word))
        {
            wrong.push(format!("{shown} must not name `{word}`: `{}`", line.trim()));
        }
        let named = line.split("crate::").skip(1);
        for name in named.map(|rest| rest.split(|c: char| !c.is_alphanumeric() && c != '_').next())
        {
            if !allowed.contains(&name.unwrap_or_default()) {
                wrong.push(format!("{shown} must not name `{}`", line.trim()));
            }
        }
    }
    wrong
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::complaints;

    #[test]
    fn each_folder_names_those_below_it() {
        let client = Path::new("client/driver/state.rs");
        assert!(complaints(client, "use crate::client::Failed;\n/// pyo3\n").is_empty());
        for line in ["use pyo3::prelude::*;", "use crate::values::dict;", "use crate::{values};"] {
            assert_eq!(complaints(client, line).len(), 1, "{line}");
        }
        let stores = Path::new("stores/http.rs");
        assert!(complaints(stores, "use pyo3::prelude::*;\nuse crate::values::dict;").is_empty());
        assert_eq!(complaints(stores, "use crate::generators::Segment;").len(), 1);
        assert_eq!(complaints(Path::new("other.rs"), "").len(), 1);
    }
}
