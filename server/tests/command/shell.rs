//! Shell completions that a shell accepts, and manual pages.

use crate::support::{has, says};
use std::io::Write;
use std::process::{Command, Stdio};

#[test]
fn bash_takes_the_completions_and_they_know_the_verbs() {
    let script = says("", &["completions", "bash"]);
    let ask =
        "COMP_WORDS=(leafid tag ad); COMP_CWORD=2; _leafid leafid ad tag; echo \"${COMPREPLY[*]}\"";
    let mut bash = Command::new("bash")
        .args(["--noprofile", "--norc"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut input = bash.stdin.take().unwrap();
    input.write_all(format!("{script}\n{ask}\n").as_bytes()).unwrap();
    drop(input);
    let output = bash.wait_with_output().unwrap();
    assert_eq!(String::from_utf8(output.stdout).unwrap().trim(), "advance");
    for shell in ["zsh", "fish", "powershell", "elvish"] {
        assert!(says("", &["completions", shell]).contains("max-window"), "{shell}");
    }
}

#[test]
fn every_verb_has_a_manual_page() {
    let folder = tempfile::tempdir().unwrap();
    let man = folder.path().join("share/man");
    says("", &["man", man.to_str().unwrap()]);
    for (page, says) in [
        ("leafid.1", "leafid\\-serve(1)"),
        ("leafid-serve.1", "LEAFID_LISTEN"),
        ("leafid-tag-create.1", "\\-\\-max\\-step"),
        ("leafid-apply.1", "\\-\\-dry\\-run"),
    ] {
        has(&std::fs::read_to_string(man.join(page)).unwrap(), &[says, ".SH NAME"]);
    }
}
