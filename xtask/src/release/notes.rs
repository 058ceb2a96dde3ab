//! What a release's page says: its section of the changelog.

use crate::{Outcome, files, project};

/// Writes `dist/notes.md`.
pub fn make() -> Outcome<String> {
    let changes = files::read(&project::at("CHANGELOG.md"))?;
    let version = project::version();
    let notes = section(&changes, version).ok_or_else(|| {
        format!("CHANGELOG.md has no changes under `## {version}`: rename `## Unreleased`")
    })?;
    files::write(&project::dist().join("notes.md"), notes)?;
    Ok(format!("{} lines for {version}", notes.lines().count()))
}

/// The text below a version's heading, if there is any.
fn section<'a>(changes: &'a str, version: &str) -> Option<&'a str> {
    let mut parts = changes.split("\n## ");
    let found = parts.find_map(|part| {
        let (heading, text) = part.split_once('\n')?;
        (heading.split_whitespace().next() == Some(version)).then_some(text.trim())
    });
    found.filter(|text| !text.is_empty())
}

#[cfg(test)]
mod tests {
    use super::section;

    #[test]
    fn a_version_has_its_own_lines_alone() {
        let changes = "# Changes\n\nx\n\n## 0.2.0 (2026-12-01)\n\n- a\n- b\n\n## 0.2.0-rc.1\n\n## 0.1.0\n\nc\n";
        assert_eq!(section(changes, "0.2.0"), Some("- a\n- b"));
        assert_eq!(section(changes, "0.1.0"), Some("c"));
        assert_eq!(section(changes, "0.2.0-rc.1"), None, "nothing stands there");
        assert_eq!(section(changes, "0.2"), None);
    }
}
