//! What the project's own texts must say alike: lengths, versions, lock files, tables.

use std::path::{Path, PathBuf};

use crate::prerequisites::{Prerequisite, TABLE};
use crate::process::Run;
use crate::{Outcome, files, project};

/// The longest that a file may be, in lines.
const LONGEST: usize = 450;
/// What is counted: sources and pages. Data and lock files are not read from top to bottom.
const KINDS: &[&str] = &["rs", "py", "pyi", "ts", "js", "mjs", "cjs", "sh", "toml", "md", "html"];
/// The one source that a `Cargo.lock` may name.
const CRATES: &str = "registry+https://github.com/rust-lang/crates.io-index";

/// Every file of the checkout that git has or would take, relative to its root.
fn sources() -> Outcome<Vec<PathBuf>> {
    let words = ["ls-files", "--cached", "--others", "--exclude-standard", "-z"];
    let listed = Run::new("git").quiet().args(words).output()?;
    let files = listed.split('\0').map(PathBuf::from);
    Ok(files.filter(|path| project::at(path).is_file()).collect())
}

/// No file of ours is longer than a reader can hold.
pub fn sizes() -> Outcome<String> {
    let kind = |path: &Path| path.extension().unwrap_or_default().to_string_lossy().into_owned();
    let mut long = Vec::new();
    for path in sources()?.iter().filter(|path| KINDS.contains(&kind(path).as_str())) {
        long.extend(too_long(path, files::read(&project::at(path))?.lines().count()));
    }
    if long.is_empty() { Ok(format!("none above {LONGEST} lines")) } else { Err(long.join("\n")) }
}

/// The complaint about a file of so many lines.
pub fn too_long(path: &Path, lines: usize) -> Option<String> {
    let told = format!("`{}` has {lines} lines, above {LONGEST}: divide it", path.display());
    (lines > LONGEST).then_some(told)
}

/// The lock files name no place that only one network can reach.
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

/// A line that names another source than crates.io; npm, as it is set up here, writes none at all.
pub fn foreign(lock: &str) -> Option<&str> {
    let cargo = |line: &str| line.starts_with("source = ") && !line.contains(CRATES);
    lock.lines().map(str::trim).find(|line| cargo(line) || line.starts_with("\"resolved\":"))
}

/// One version, also where Cargo cannot tie it to the workspace's; and the licences beside a manifest that
/// reaches no folder above it.
pub fn versions() -> Outcome<String> {
    let version = project::version();
    let chart = files::read(&project::at("deploy/helm/leafid/Chart.yaml"))?;
    let changes = files::read(&project::at("CHANGELOG.md"))?;
    if let Some(complaint) = other_version(&chart, &changes, version) {
        return Err(complaint);
    }
    for name in ["LICENSE-APACHE", "LICENSE-MIT"] {
        if files::read(&project::at("bindings-py").join(name))? != files::read(&project::at(name))?
        {
            return Err(format!("`bindings-py/{name}` differs from `{name}`"));
        }
    }
    Ok(format!("{version} everywhere"))
}

/// The complaint about a chart, or about a changelog whose newest release has another version.
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

/// The README's table of prerequisites is the one that every verb looks at.
pub fn prerequisites() -> Outcome<String> {
    match lacking(&files::read(&project::at("README.md"))?) {
        None => Ok(format!("{} rows, as in the README", TABLE.len())),
        Some(row) => Err(format!("README.md lacks this row of its prerequisites:\n{row}")),
    }
}

/// The first row that a README lacks.
pub fn lacking(readme: &str) -> Option<String> {
    TABLE.iter().map(Prerequisite::row).find(|row| !readme.lines().any(|line| line == row))
}

/// Which file systems are not trusted with locks stands in the server, in the state's file, where FUSE is
/// one more, and in JavaScript; Python has their names as mounts.
pub fn networks() -> Outcome<String> {
    let read = |file: &str| files::read(&project::at(file));
    let server = numbers(&read("server/src/backends/sqlite/file/open.rs")?);
    let state = numbers(&read("state/src/files.rs")?);
    let script = numbers(&read("bindings-js/src/files/place.ts")?);
    if server.is_empty() || script != server {
        return Err(format!("the server has {server:?}, JavaScript {script:?}"));
    }
    let but_fuse = state.iter().filter(|(_, name)| name != "FUSE");
    if !but_fuse.eq(&server) {
        return Err(format!("the server has {server:?}, the state's file {state:?}"));
    }
    let python = read("bindings-py/python/leafid/_sql/file/places.py")?;
    let mounts = python.lines().find(|line| line.starts_with("_NETWORK = ")).unwrap_or_default();
    match server.iter().find(|(_, name)| !mounts.contains(&name.to_lowercase()[..2])) {
        None => Ok(format!("{} file systems, the same in four places", server.len())),
        Some((_, name)) => Err(format!("Python does not know how `{name}` is mounted")),
    }
}

/// The rows of a table, in order: `(0x6969, "NFS")`, or with other brackets and quotes.
pub fn numbers(text: &str) -> Vec<(u32, String)> {
    let row = |line: &str| {
        let (number, rest) = line.trim().trim_start_matches(['(', '[']).split_once(", ")?;
        let number = u32::from_str_radix(&number.strip_prefix("0x")?.replace('_', ""), 16).ok()?;
        Some((number, rest.split(['"', '\'']).nth(1)?.to_owned()))
    };
    let mut rows: Vec<_> = text.lines().filter_map(row).collect();
    rows.sort();
    rows
}
