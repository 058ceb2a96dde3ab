//! Checks the project's own texts: lengths, versions, lock files, tables.

use std::path::{Path, PathBuf};

use crate::process::Run;
use crate::{Outcome, files, project};

/// The most lines of a file.
const LONGEST: usize = 450;
/// The counted files: sources and pages, which are read from top to bottom, unlike data and lock files.
const KINDS: &[&str] = &["rs", "py", "pyi", "ts", "js", "mjs", "cjs", "sh", "toml", "md", "html"];
/// The only source allowed in a `Cargo.lock`.
const CRATES: &str = "registry+https://github.com/rust-lang/crates.io-index";

/// Every file of the checkout that git tracks or would add, relative to its root.
fn sources() -> Outcome<Vec<PathBuf>> {
    let words = ["ls-files", "--cached", "--others", "--exclude-standard", "-z"];
    let listed = Run::new("git").quiet().args(words).output()?;
    let files = listed.split('\0').map(PathBuf::from);
    Ok(files.filter(|path| project::at(path).is_file()).collect())
}

/// Checks that no file has more than [`LONGEST`] lines.
pub fn sizes() -> Outcome<String> {
    let kind = |path: &Path| path.extension().unwrap_or_default().to_string_lossy().into_owned();
    let mut long = Vec::new();
    for path in sources()?.iter().filter(|path| KINDS.contains(&kind(path).as_str())) {
        long.extend(too_long(path, files::read(&project::at(path))?.lines().count()));
    }
    if long.is_empty() { Ok(format!("none above {LONGEST} lines")) } else { Err(long.join("\n")) }
}

pub fn too_long(path: &Path, lines: usize) -> Option<String> {
    let told = format!("`{}` has {lines} lines, above {LONGEST}: divide it", path.display());
    (lines > LONGEST).then_some(told)
}

/// Checks that the lock files name no source that only one network reaches.
pub fn locks() -> Outcome<String> {
    let is_lock =
        |path: &&PathBuf| path.ends_with("Cargo.lock") || path.ends_with("package-lock.json");
    let all = sources()?;
    let locks: Vec<_> = all.iter().filter(is_lock).collect();
    for path in &locks {
        if let Some(line) = foreign(&files::read(&project::at(path))?) {
            return Err(format!("`{}`: {line}: names a registry", path.display()));
        }
    }
    Ok(format!("{} of them", locks.len()))
}

/// Finds a line with another source than crates.io; npm, as set up here, writes none.
pub fn foreign(lock: &str) -> Option<&str> {
    let cargo = |line: &str| line.starts_with("source = ") && !line.contains(CRATES);
    lock.lines().map(str::trim).find(|line| cargo(line) || line.starts_with("\"resolved\":"))
}

/// Checks that the version is the same where Cargo cannot tie it to the workspace's.
pub fn versions() -> Outcome<String> {
    let version = project::VERSION;
    let chart = files::read(&project::at("deploy/helm/leafid/Chart.yaml"))?;
    let changes = files::read(&project::at("CHANGELOG.md"))?;
    if let Some(complaint) = other_version(&chart, &changes, version) {
        return Err(complaint);
    }
    // CI is what tries the oldest Rust.
    let oldest = env!("CARGO_PKG_RUST_VERSION");
    if !files::read(&project::at(".github/workflows/ci.yml"))?.contains(&format!("rust:{oldest}-"))
    {
        return Err(format!("`ci.yml` does not run in a container of Rust {oldest}"));
    }
    Ok(format!("{version} everywhere"))
}

/// The complaint about another version in a chart, or in a changelog's newest release.
pub fn other_version(chart: &str, changes: &str, version: &str) -> Option<String> {
    for wanted in [format!("version: {version}"), format!("appVersion: {version}")] {
        if !chart.lines().any(|line| line == wanted) {
            return Some(format!("`Chart.yaml` lacks `{wanted}`"));
        }
    }
    let headings = changes.lines().filter_map(|line| line.strip_prefix("## ")?.split(' ').next());
    let newest = headings.into_iter().find(|heading| *heading != "Unreleased").unwrap_or_default();
    (newest != version).then(|| format!("CHANGELOG.md has `{newest}` on top, and Cargo {version}"))
}

#[cfg(test)]
mod tests {
    use crate::{Outcome, files, project};

    /// The rows of a table, in order: `(0x6969, "NFS")`, or with other brackets and quotes.
    fn numbers(file: &str) -> Outcome<Vec<(u32, String)>> {
        let row = |line: &str| {
            let (number, rest) = line.trim().trim_start_matches(['(', '[']).split_once(", ")?;
            let number = number.strip_prefix("0x")?.replace('_', "");
            let name = rest.split(['"', '\'']).nth(1)?.to_owned();
            Some((u32::from_str_radix(&number, 16).ok()?, name))
        };
        let mut rows: Vec<_> = files::read(&project::at(file))?.lines().filter_map(row).collect();
        rows.sort();
        Ok(rows)
    }

    #[test]
    fn the_file_systems_without_trusted_locks_are_the_same_in_two_languages() -> Outcome {
        let rust = numbers("state/src/networks.rs")?;
        assert!(rust.len() > 10, "{rust:?}");
        assert_eq!(numbers("bindings-js/src/files/place.ts")?, rust);
        Ok(())
    }
}
