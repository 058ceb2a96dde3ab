//! What a person can do where a step failed for a reason outside the project.

use std::path::Path;

/// Known error texts, and the advice for each.
const KNOWN: &[(&[&str], &str)] = &[
    (
        &["No space left on device", "ENOSPC", "os error 28", "signal 7 [Bus error]"],
        "the disk is full: a first run needs about 6 GB",
    ),
    (
        &[
            "Could not resolve host",
            "ENOTFOUND",
            "EAI_AGAIN",
            "Temporary failure in name resolution",
            "Network is unreachable",
            "ECONNREFUSED",
            "Failed to establish a new connection",
            "Could not connect to server",
        ],
        "a download found no network: behind a proxy set HTTPS_PROXY; what is already here is kept",
    ),
    (
        &["Permission denied", "EACCES", "EROFS", "Read-only file system"],
        "a folder cannot be written: HOME, CARGO_HOME and the checkout must belong to the user",
    ),
];

/// How many lines of the output are shown.
const LINES: usize = 12;

/// The end of a failed part's output, and what to do about it where that is known.
pub fn about(log: &Path) -> String {
    let text = String::from_utf8_lossy(&std::fs::read(log).unwrap_or_default()).into_owned();
    let lines: Vec<_> = text.lines().filter(|line| !line.trim().is_empty()).collect();
    let shown = &lines[lines.len().saturating_sub(LINES)..];
    let mut told: String = shown.iter().map(|line| format!("\n            | {line}")).collect();
    if let Some(hint) = hint(&text) {
        told += &format!("\n            {hint}");
    }
    told
}

fn hint(text: &str) -> Option<&'static str> {
    let known = KNOWN.iter().find(|(words, _)| words.iter().any(|word| text.contains(word)));
    known.map(|(_, hint)| *hint)
}

#[cfg(test)]
mod tests {
    use super::hint;

    #[test]
    fn the_usual_reasons_are_known() {
        let npm = "npm error code ENOTFOUND\nnpm error request failed";
        assert!(hint(npm).is_some_and(|hint| hint.contains("HTTPS_PROXY")));
        assert!(
            hint("error: No space left on device (os error 28)")
                .is_some_and(|hint| hint.contains("full"))
        );
        assert_eq!(hint("error[E0308]: mismatched types"), None);
    }
}
