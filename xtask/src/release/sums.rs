//! The sums of everything in `dist/release`.

use super::at;
use crate::process::Run;
use crate::{Outcome, files};

const FILE: &str = "SHA256SUMS";

/// Writes the sums, and checks them as a user does.
pub fn make() -> Outcome<String> {
    files::remove(&at(FILE))?;
    let names = files::ending(&at(""), "");
    let names: Vec<_> = names.iter().filter_map(|file| file.file_name()).collect();
    if names.is_empty() {
        return Err("nothing in dist/release".to_owned());
    }
    let sums = Run::new("sha256sum").quiet().args(&names).dir(at("")).output()?;
    files::write(&at(FILE), sums)?;
    Run::new("sha256sum").quiet().args(["--check", "--strict", FILE]).dir(at("")).output()?;
    Ok(format!("{} files", names.len()))
}
