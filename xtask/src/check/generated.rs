//! Generated files are committed, and equal to what would be generated now.

use std::path::Path;

use crate::build;
use crate::process::Run;
use crate::{Outcome, files, project};

/// OpenAPI, as the server prints it.
const OPENAPI: &str = "server/openapi.json";

/// Each of them.
pub fn check() -> Outcome<String> {
    build::need(&["server"])?;
    let fresh = Run::new(build::server_binary()).arg("openapi").output()?;
    let committed = files::read(&project::at(OPENAPI))?;
    match differs(Path::new(OPENAPI), &committed, &fresh) {
        None => Ok(format!("`{OPENAPI}` is current")),
        Some(complaint) => Err(complaint),
    }
}

/// The complaint about a file that is not what would be generated.
pub fn differs(path: &Path, committed: &str, fresh: &str) -> Option<String> {
    if committed.trim() == fresh.trim() {
        return None;
    }
    let line = committed.lines().zip(fresh.lines()).position(|(old, new)| old != new);
    let line = line.map_or("its end".to_owned(), |at| format!("line {}", at + 1));
    let cure = "`dist/leafid openapi > server/openapi.json`, commit it";
    Some(format!("`{}` is out of date at {line}: {cure}", path.display()))
}
