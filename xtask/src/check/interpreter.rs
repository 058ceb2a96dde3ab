//! The Python module's declaration to interpreters without a wheel.

use crate::process::Run;
use crate::{Outcome, files, project};

/// Checks that the module declares that it needs the interpreter's lock. The stable ABI of 3.11 cannot express
/// that, so no wheel shows it: it is read from the compiler's MIR.
pub fn lock() -> Outcome<String> {
    let module = project::target().join("module.mir");
    let emit = format!("--emit=mir={}", module.display());
    Run::cargo(&["rustc", "--locked", "-p", "leafid-py", "--lib", "--", &emit]).done()?;
    match complaint(&files::read(&module)?) {
        Some(complaint) => Err(complaint),
        None => Ok("a free-threaded interpreter turns its lock on for leafid".to_owned()),
    }
}

/// The complaint about a module's MIR.
pub fn complaint(module: &str) -> Option<String> {
    let says = module.lines().find(|line| line.contains("with_gil_used("));
    match says {
        Some(line) if line.contains("const true") => None,
        Some(line) => Some(format!("the module says that it needs no lock: {}", line.trim())),
        None => Some("the module does not say whether it needs the lock".to_owned()),
    }
}
