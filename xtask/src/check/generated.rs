//! Generated files are committed, and equal to what would be generated now.

use std::path::Path;

use crate::build::{self, node, wasm};
use crate::process::Run;
use crate::{Outcome, files, project};

/// OpenAPI, as the server prints it.
const OPENAPI: &str = "server/openapi.json";

/// Each of them.
pub fn check() -> Outcome<String> {
    let mut wrong = Vec::new();
    let addon = node::generate()?;
    wrong.extend(complaint(node::COMMITTED_TYPES, &files::read(&addon.types)?)?);
    let wasm = wasm::generate()?;
    wrong.extend(complaint(wasm::COMMITTED_TYPES, &files::read(&wasm.types)?)?);
    let mut count = 2;
    if project::at(OPENAPI).exists() {
        build::need(&["server"])?;
        let fresh = Run::new(build::server_binary()).arg("openapi").output()?;
        wrong.extend(complaint(OPENAPI, &fresh)?);
        count += 1;
    }
    if wrong.is_empty() { Ok(format!("{count} files are current")) } else { Err(wrong.join("\n")) }
}

fn complaint(committed: &str, fresh: &str) -> Outcome<Option<String>> {
    let path = project::at(committed);
    if !path.exists() {
        return Ok(Some(format!("`{committed}` is not there: `cargo xtask build`, commit it")));
    }
    Ok(differs(Path::new(committed), &files::read(&path)?, fresh))
}

/// The complaint about a file that is not what would be generated.
pub fn differs(path: &Path, committed: &str, fresh: &str) -> Option<String> {
    if committed.trim() == fresh.trim() {
        return None;
    }
    let line = committed.lines().zip(fresh.lines()).position(|(old, new)| old != new);
    let line = line.map_or("its end".to_owned(), |at| format!("line {}", at + 1));
    Some(format!("`{}` is out of date at {line}: `cargo xtask build`, commit it", path.display()))
}
