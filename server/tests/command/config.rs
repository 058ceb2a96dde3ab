//! A server's settings, from option, variable and file, and which values may be printed.

use std::path::Path;
use std::process::{Command, Output};

use serde_json::Value;

use crate::support::{LEAFID, Serving, fails, has, output};

fn run(folder: &Path, args: &[&str], variables: &[(&str, &str)]) -> Output {
    let mut command = Command::new(LEAFID);
    command.args(args).current_dir(folder).env_remove("LEAFID_STORE");
    output(command.envs(variables.iter().copied()))
}

fn keys(folder: &Path, more: &[&str], variables: &[(&str, &str)]) -> Vec<Value> {
    let output = run(folder, &[&["config", "--json"], more].concat(), variables);
    assert!(output.status.success() && output.stderr.is_empty(), "{output:?}");
    let mut all: Value = serde_json::from_slice(&output.stdout).unwrap();
    serde_json::from_value(all["keys"].take()).unwrap()
}

fn config(folder: &Path, variables: &[(&str, &str)], key: &str) -> Value {
    let keys = keys(folder, &["--config", "leafid.toml"], variables);
    keys.into_iter().find(|row| row["key"] == key).unwrap()
}

#[test]
fn an_option_counts_before_its_variable_and_that_before_the_file() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path();
    let file =
        "dev = true\nlisten = \"127.0.0.1:0\"\nlisten-admin = \"127.0.0.1:0\"\nlog = \"error\"\n";
    std::fs::write(path.join("leafid.toml"), format!("{file}store = \"by-file.db\"\n")).unwrap();
    let start = |variable: &str, args: &[&str]| {
        let mut command = Command::new(LEAFID);
        command.args(["serve", "--config", "leafid.toml"]).args(args).current_dir(path);
        Serving::spawn(command.env("LEAFID_STORE", variable))
    };
    for (variable, args, opened) in [
        // An empty variable counts as unset.
        ("", &[][..], "by-file.db"),
        ("by-variable.db", &[], "by-variable.db"),
        ("by-variable.db", &["--store", "by-option.db"], "by-option.db"),
        ("", &["--store=by-option.db"], "by-option.db"),
    ] {
        let serving = start(variable, args);
        assert!(serving.first.contains(opened), "{variable}, {args:?}: {}", serving.first);
        assert!(serving.first.contains("changes are made at"), "{}", serving.first);
    }
    let [by_file, by_variable] =
        [&[][..], &[("LEAFID_LISTEN", "127.0.0.1:1")]].map(|set| config(path, set, "listen"));
    assert_eq!(by_file["source"], "the file");
    assert_eq!(
        (&by_variable["source"], &by_variable["values"][0]),
        (&"LEAFID_LISTEN".into(), &"127.0.0.1:1".into())
    );
    assert_eq!(config(path, &[], "journal")["source"], Value::Null);
    assert_eq!(config(path, &[("LEAFID_DEV", "0")], "dev")["values"][0], "false");
    assert_eq!(config(path, &[], "dev")["values"][0], "true");
    // Only `serve` reads the file.
    let other = run(path, &["openapi"], &[("LEAFID_CONFIG", "nowhere.toml")]);
    assert!(other.status.success(), "{other:?}");
}

#[test]
fn every_variable_that_is_empty_counts_as_not_set() {
    let folder = tempfile::tempdir().unwrap();
    let usual = keys(folder.path(), &[], &[]);
    let names: Vec<_> = usual.iter().filter_map(|row| row["variable"].as_str()).collect();
    assert!(names.len() > 20 && names.len() == usual.len(), "each has one: {names:?}");
    let empty: Vec<_> = names.iter().chain(&["LEAFID_CONFIG"]).map(|name| (*name, "")).collect();
    assert_eq!(keys(folder.path(), &[], &empty), usual);
    // `serve` ignores empty variables too: only the missing store stops it.
    let output = run(folder.path(), &["serve"], &empty);
    has(&String::from_utf8_lossy(&output.stderr), &["leafid init --store sqlite:./leafid.db"]);
}

/// Covers every switch, so that none added later takes any word for a yes.
#[test]
fn a_switch_takes_a_yes_or_a_no_and_nothing_else() {
    let folder = tempfile::tempdir().unwrap();
    let usual = keys(folder.path(), &[], &[]);
    let switches: Vec<_> = usual.iter().filter(|row| row["default"] == "false").collect();
    assert!(switches.len() >= 4, "{switches:?}");
    for switch in switches {
        let (key, name) = (&switch["key"], switch["variable"].as_str().unwrap());
        let output = run(folder.path(), &["serve"], &[(name, "maybe")]);
        let said = String::from_utf8(output.stderr).unwrap();
        let words = ["invalid value 'maybe' for '--", key.as_str().unwrap(), "not a boolean"];
        assert!(words.iter().all(|word| said.contains(word)), "{name}: {said}");
        assert_eq!(output.status.code(), Some(2), "{name}: {said}");
    }
    for (said, is) in [("true", "true"), ("Yes", "true"), ("1", "true"), ("OFF", "false")] {
        let all = keys(folder.path(), &[], &[("LEAFID_DEV", said)]);
        let dev = all.iter().find(|row| row["key"] == "dev").unwrap();
        assert_eq!(dev["values"][0], is, "{said}");
    }
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0, "no store was made");
}

#[test]
fn what_is_wrong_in_a_file_is_named() {
    let folder = tempfile::tempdir().unwrap();
    for (text, says) in [
        ("listn = \"x\"", "key `listn` is unknown: `leafid config` prints every key"),
        ("config = \"other.toml\"", "key `config` is unknown"),
        ("dev = \"yes\"", "key `dev` takes true or false"),
        ("journal = false", "key `journal` takes a text or a number"),
        ("journal = [\"a\", \"b\"]", "cannot be used multiple times"),
        ("listen = [1.5]", "key `listen` takes a text or a number"),
        ("listen = \"here\"", "in `leafid.toml`: invalid value 'here' for '--listen"),
        (
            "create = true\nexpect-store = \"00112233445566778899aabbccddeeff\"",
            "cannot be used with",
        ),
        ("store = \"a.db\"\nlisten = ", "line 2: it is not TOML"),
        ("listen = \"127.0.0.1:0\"\nlisten = \"127.0.0.1:1\"", "duplicate key"),
    ] {
        std::fs::write(folder.path().join("leafid.toml"), text).unwrap();
        let output = run(folder.path(), &["serve", "--config", "leafid.toml"], &[]);
        let said = String::from_utf8(output.stderr).unwrap();
        assert!(output.status.code() == Some(1) && said.contains(says), "{text}: {said}");
        assert_eq!(output.stdout, b"", "{text}");
    }
    let nowhere = folder.path().join("nowhere.toml").display().to_string();
    has(&fails("", &["serve", "--config", &nowhere], 1), &[&format!("cannot read `{nowhere}`")]);
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 1, "no store was made");
}

/// A password given to a wrong option, verb or variable, or in the file: error messages end up in logs.
#[test]
fn no_password_is_repeated() {
    let folder = tempfile::tempdir().unwrap();
    let url = "postgres://u:ge,he=im@h/d";
    let parts = ["ge,", "he=", "im@"];
    let silent = |args: &[&str], variables: &[(&str, &str)]| {
        let output = run(folder.path(), args, variables);
        let said = String::from_utf8([output.stdout, output.stderr].concat()).unwrap();
        assert!(parts.iter().all(|part| !said.contains(part)), "{args:?}: {said}");
        (output.status.code(), said)
    };
    let with = |option: &str| format!("--{option}={url}");
    for args in [
        &["serve", "--listen", url][..],
        &["serve", &with("listen")],
        &["serve", "--dev", url],
        &["tag", "list", url],
        &["lease", "orders", "--count", url],
        &["--log", url, "openapi"],
        &["tag", url],
    ] {
        let (code, said) = silent(args, &[]);
        assert!(code == Some(2) && !said.is_empty(), "{args:?}: {said}");
    }
    for variable in ["LEAFID_LISTEN", "LEAFID_EXPECT_STORE", "LEAFID_LOG"] {
        let (code, said) = silent(&["serve"], &[(variable, url)]);
        assert_eq!(code, Some(2), "{variable}: {said}");
    }
    let file = folder.path().join("leafid.toml");
    for text in
        [format!("listen = \"{url}\""), format!("stor = \"{url}\""), format!("store = \"{url}\nx")]
    {
        std::fs::write(&file, &text).unwrap();
        let (code, said) = silent(&["serve", "--config", "leafid.toml"], &[]);
        assert_eq!(code, Some(1), "{text}: {said}");
    }
    std::fs::write(&file, format!("store = \"{url}\"")).unwrap();
    for more in [&[][..], &["--json"]] {
        let (code, said) = silent(&[&["config", "--config", "leafid.toml"], more].concat(), &[]);
        assert!(code == Some(0) && said.contains("postgres://u:***@h/d"), "{said}");
    }
    // The user and host are no secret, and show which value was meant.
    has(&fails("", &["serve", "--log", url], 2), &["postgres://u:***@h/d"]);
}

#[test]
fn what_it_prints_is_a_file_for_serve() {
    let folder = tempfile::tempdir().unwrap();
    let set =
        [("LEAFID_LISTEN", "127.0.0.1:0"), ("LEAFID_DEV", "1"), ("LEAFID_STORE", "a \"b\".db")];
    let printed = run(folder.path(), &["config"], &set);
    assert!(printed.status.success(), "{printed:?}");
    let text = String::from_utf8(printed.stdout).unwrap();
    std::fs::write(folder.path().join("leafid.toml"), &text).unwrap();
    let again = config(folder.path(), &[], "store");
    assert_eq!((&again["values"][0], &again["source"]), (&"a \"b\".db".into(), &"the file".into()));
    assert_eq!(config(folder.path(), &[], "dev")["values"][0], "true");
    // It has each setting, commented out where unset, in a form that can be used.
    for key in keys(folder.path(), &[], &[]) {
        let begins = format!("{} = ", key["key"].as_str().unwrap());
        let mut lines = text.lines().map(|line| line.trim_start_matches('#'));
        let line = lines.find(|line| line.starts_with(&begins));
        assert!(line.is_some_and(|line| line.parse::<toml::Table>().is_ok()), "{begins}\n{text}");
    }
}
