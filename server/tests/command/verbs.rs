//! What the verbs say and do.

use std::process::Command;

use crate::support::{LEAFID, Serving, fails, leafid, output, output_elsewhere, says, until};

/// The same verbs over HTTP and in the file itself.
fn verbs(store: &str) {
    let made = says(store, &["tag", "create", "orders", "--from", "5000001", "--step", "10"]);
    assert!(made.contains("next number 5000001, step 10"), "{made}");
    let again = fails(store, &["tag", "create", "orders"], 1);
    assert!(again.contains("TAG_EXISTS") && again.contains("`orders`"), "{again}");
    assert!(says(store, &["tag", "list"]).contains("orders"));
    assert_eq!(says(store, &["next", "orders", "--count", "2"]), "5000001\n5000002\n");
    let unknown = fails(store, &["next", "ordres"], 1);
    assert!(unknown.contains("leafid tag create ordres"), "{unknown}");

    tag_verbs(store);

    let edge = ["namespace", "create", "edge", "--layout", "edge", "--workers", "0..64"];
    let made = says(store, &[&edge[..], &["--max-window", "10s"]].concat());
    assert!(made.contains("workers 0..64, windows of 10000 ms"), "{made}");
    let own = ["namespace", "create", "own", "--epoch-ms", "1735689600000", "--tick-ms", "10"];
    let own_bits = [&own[..], &["--bits", "39/8/6"]].concat();
    says(store, &own_bits);
    assert!(says(store, &own_bits).contains("exists already"));
    let again = [&own_bits[..], &["--if-missing"]].concat();
    assert!(says(store, &again).contains("exists already"));
    for other in [&["--layout", "leaf"][..], &["--layout", "edge", "--workers", "0..2"]] {
        let other = [&["namespace", "create", "edge"][..], other].concat();
        let refused = fails(store, &other, 1);
        assert!(
            refused.contains("LAYOUT_MISMATCH") && refused.contains("namespace set edge"),
            "{refused}"
        );
    }
    assert!(fails(store, &["namespace", "set", "egde", "--workers", "0..9"], 1).contains("egde"));
    let set = says(store, &["namespace", "set", "edge", "--workers", "0..65"]);
    assert!(set.contains("41/16/6 bits") && set.contains("0..65"), "{set}");
    let wide = fails(store, &[&own[..], &["--bits", "41/11/12"]].concat(), 1);
    assert!(wide.contains("LAYOUT_INVALID") && wide.contains("64 bits"), "{wide}");
    assert_eq!(says(store, &["namespace", "list"]).lines().count(), 3);

    let id = says(store, &["next", "--namespace", "edge"]);
    let parts = says(store, &["decode", id.trim(), "--namespace", "edge"]);
    assert!(parts.contains("worker    0") && parts.contains("time      20"), "{parts}");
    assert_eq!(parts, says(store, &["decode", id.trim(), "--layout", "edge"]));
}

fn tag_verbs(store: &str) {
    let create = ["tag", "create", "small", "--step", "10", "--until", "2147483648"];
    let made = says(store, &[&create[..], &["--from", "2147483600"]].concat());
    assert!(made.contains("next number 2147483600, step 10, max_step 1000000, until 2147483648"));
    assert!(fails(store, &create, 1).contains("TAG_EXISTS"));
    let again = [&create[..], &["--from", "2147483600", "--if-missing"]].concat();
    assert!(
        says(store, &again).contains("exists already, nothing changed: next number 2147483600")
    );
    assert!(says(store, &["tag", "create", "small", "--if-missing"]).contains("exists already"));
    for (option, value, told) in [
        ("--from", "2147483601", "it stands at 2147483600, below --from 2147483601"),
        ("--step", "20", "its step is 10, not --step 20"),
        ("--max-step", "20", "its max_step is 1000000, not --max-step 20"),
        ("--until", "2147483647", "its until is 2147483648, not --until 2147483647"),
    ] {
        let said = fails(store, &["tag", "create", "small", "--if-missing", option, value], 1);
        assert!(said.contains("TAG_EXISTS") && said.contains(told), "{said}");
    }

    assert_eq!(says(store, &["lease", "small", "--count", "8"]), "2147483600 2147483608\n");
    let json = says(store, &["lease", "small", "--count", "2", "--as", "json"]);
    let range = r#"{"tag":"small","start":"2147483608","end":"2147483610","count":2}"#;
    assert_eq!(json.trim_end(), range);
    let said = fails(store, &["lease", "small", "--count", "39"], 1);
    assert!(said.contains("TAG_SPENT") && said.contains("38 numbers left, and 39"), "{said}");
    let set = says(store, &["tag", "set", "small", "--max-step", "30"]);
    assert!(set.contains("step 10, max_step 30, until 2147483648"), "{set}");
    let said = fails(store, &["lease", "small", "--count", "31"], 1);
    assert!(said.contains("COUNT_INVALID") && said.contains("--max-step 31"), "{said}");
    let said = fails(store, &["tag", "set", "smal", "--step", "3"], 1);
    assert!(said.contains("TAG_UNKNOWN") && says(store, &["tag", "list"]).lines().count() == 3);

    let sql = says(store, &["lease", "small", "--count", "3", "--as", "postgres"]);
    for part in ["\"small_id_leafid\"", "MINVALUE 2147483610 MAXVALUE 2147483612", "NO CYCLE"] {
        assert!(sql.contains(part), "{sql}");
    }
    let place = ["--table", "app.small", "--column", "nr"];
    let mysql = ["lease", "small", "--count", "3", "--as", "mysql"];
    let sql = says(store, &[&mysql[..], &place].concat());
    for part in [
        "ALTER TABLE `app`.`small` AUTO_INCREMENT = 2147483613;",
        "NEW.`nr` NOT BETWEEN 2147483613 AND 2147483615",
    ] {
        assert!(sql.contains(part), "{sql}");
    }
    // What cannot be named is found before anything is leased for it.
    fails(store, &["lease", "small", "--count", "3", "--as", "mysql", "--table", "a.b.c"], 1);

    let advance = |to: &'static str| ["tag", "advance", "small", "--to", to];
    let said = fails(store, &advance("2147483615"), 1);
    assert!(said.contains("is 2147483616 and cannot go back to 2147483615"), "{said}");
    assert!(says(store, &advance("2147483640")).contains("next number 2147483640"));
    assert!(says(store, &advance("2147483640")).contains("next number 2147483640"));
    assert!(fails(store, &advance("2147483649"), 1).contains("ends at 2147483648"));
    let said = fails(store, &["tag", "set", "small", "--until", "2147483639"], 1);
    assert!(said.contains("RANGE_INVALID: until must be 2147483640 to"), "{said}");
    assert!(!says(store, &["tag", "set", "small", "--until", "none"]).contains("until"));
    assert!(says(store, &advance("5000000000")).contains("next number 5000000000"));
    assert!(says(store, &["tag", "delete", "small"]).contains("goes on where it stood"));
    assert!(fails(store, &["tag", "delete", "small"], 1).contains("TAG_UNKNOWN"));
    assert!(fails(store, &["tag", "set", "small", "--step", "3"], 1).contains("TAG_UNKNOWN"));
    assert!(says(store, &["tag", "create", "small"]).contains("next number 5000000000"));
    says(store, &["tag", "delete", "small"]);
}

#[test]
fn the_verbs_speak_to_a_server_and_sigterm_ends_it() {
    let folder = tempfile::tempdir().unwrap();
    let mut serving = Serving::start(&folder.path().join("store.db"));
    verbs(&serving.url);
    assert_eq!(serving.end("-TERM"), (Some(0), "leafid: stopped\n".to_owned()));
    let files: Vec<_> = std::fs::read_dir(folder.path()).unwrap().collect();
    assert_eq!(files.len(), 1, "the log is folded into the file: {files:?}");
}

#[test]
fn the_verbs_work_in_the_file_itself() {
    let folder = tempfile::tempdir().unwrap();
    let store = format!("sqlite:{}", folder.path().join("store.db").display());
    assert!(says(&store, &["init"]).starts_with(&format!("created {store}, store id ")));
    verbs(&store);
    assert!(says(&store, &["migrate"]).contains("nothing to do"));
}

#[test]
fn sigint_ends_it_too_and_a_kill_loses_nothing_that_was_told() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("store.db");
    let mut serving = Serving::start(&file);
    says(&serving.url, &["tag", "create", "orders", "--step", "10"]);
    let first = says(&serving.url, &["next", "orders", "--count", "10"]);
    assert_eq!(serving.end("-KILL").0, None);
    let mut serving = Serving::start(&file);
    let second = says(&serving.url, &["next", "orders", "--count", "10"]);
    let last: u64 = first.lines().last().unwrap().parse().unwrap();
    let next: u64 = second.lines().next().unwrap().parse().unwrap();
    assert!(next > last, "{last} was told before {next}");
    assert_eq!(serving.end("-INT").0, Some(0));
}

#[test]
fn a_misused_command_line_is_explained() {
    let nowhere = "http://127.0.0.1:9";
    for (args, word) in [
        (&["serv"][..], "unrecognized subcommand 'serv'"),
        (&["tag"][..], "create"),
        (&["tag", "create"][..], "<NAME>"),
        (&["tag", "create", "a", "b"][..], "unexpected argument 'b'"),
        (
            &["tag", "create", "a", "--step", "many"][..],
            "invalid value 'many' for '--step <N>': use a",
        ),
        (&["tag", "create", "a", "--max-step", "1e3"][..], "whole number from 1 to 2147483647"),
        (&["tag", "create", "a", "--step", "-1"][..], "whole number from 1 to 2147483647"),
        (&["tag", "create", "a", "--from", "-5"][..], "whole number from 1 to 9223372036854775807"),
        (&["next", "a", "--count", "99999999999"][..], "whole number from 1 to 10000"),
        (&["next", "a", "--count", "-1"][..], "whole number from 1 to 10000"),
        (&["lease", "a", "--count", "-1"][..], "whole number from 1 to 2147483647"),
        (&["tag", "list", "--all"][..], "unexpected argument '--all'"),
        (&["namespace", "create", "n", "--max-window", "10"][..], "1500ms, 10s"),
        (&["namespace", "create", "n", "--max-window", "999999999h"][..], "from 1s to 24h"),
        (&["namespace", "set", "n", "--max-window", "999ms"][..], "from 1s to 24h"),
        (&["namespace", "create", "n", "--epoch-ms", "2025"][..], "--tick-ms"),
        (&["namespace", "create", "n", "--epoch-ms", "soon"][..], "ms since 1970"),
        (&["namespace", "create", "n", "--tick-ms", "1.5"][..], "whole number from 0"),
        (&["namespace", "create", "n", "--bits", "41/10/12"][..], "--tick-ms"),
        (&["namespace", "create", "n", "--layout", "wide"][..], "use leaf, edge, long or js53"),
        (&["tag", "set", "a"][..], "--step"),
        (&["tag", "set", "a", "--until", "never"][..], "or `none`"),
        (&["tag", "advance", "a"][..], "--to <N>"),
        (&["lease", "a"][..], "--count <N>"),
        (&["lease", "a", "--count", "0"][..], "invalid value '0'"),
        (&["lease", "a", "--count", "1", "--as", "xml"][..], "postgres, mysql, json"),
        (&["lease", "a", "--count", "1", "--table", "t"][..], "--as <FORM>"),
        (&["lease", "a", "--count", "1", "--as", "json", "--table", "t"][..], "--as postgres"),
        (&["next"][..], "<TAG|--namespace"),
        (&["next", "a", "--namespace", "b"][..], "cannot be used with"),
        (&["serve", "--listen", "here"][..], "localhost:8750"),
    ] {
        let said = fails(nowhere, args, 2);
        assert!(said.contains(word), "{args:?}: {said}");
    }
    let nothing = fails(nowhere, &[], 2);
    assert!(nothing.contains("Usage: leafid") && nothing.contains("serve"), "{nothing}");
    let refused = fails(nowhere, &["serve", "--listen", "0.0.0.0:0"], 1);
    assert!(refused.contains("NOT_ENABLED") && refused.contains("--tls-cert"), "{refused}");
    let away = fails(nowhere, &["tag", "list"], 1);
    assert!(away.contains("STORE_UNAVAILABLE") && away.contains("leafid serve"), "{away}");
    let strange = fails("redis://x", &["tag", "list"], 1);
    assert!(strange.contains("redis://x") && strange.contains("sqlite:PATH"), "{strange}");
    let tag = fails(nowhere, &["tag", "create", "or ders"], 1);
    assert!(tag.contains("TAG_INVALID") && tag.contains("or ders"), "{tag}");
    let version = says(nowhere, &["--version"]);
    assert!(version.starts_with("leafid ") && version == says(nowhere, &["version"]), "{version}");
}

#[test]
fn numbers_that_cannot_be_are_named_as_they_are() {
    let folder = tempfile::tempdir().unwrap();
    let store = &folder.path().join("store.db").display().to_string();
    let said = fails(store, &["tag", "list"], 1);
    assert!(said.contains("does not exist"), "{said}");
    assert_eq!(leafid(store, &["tag", "list"]).stdout, b"", "no header above an error");
    says(store, &["init"]);
    let said = fails(store, &["worker", "list", "nobody"], 1);
    assert!(said.contains("NAMESPACE_UNKNOWN"), "{said}");
    assert_eq!(leafid(store, &["worker", "list", "nobody"]).stdout, b"", "no header");
    for (id, word) in [("-5", "`-5` is not an ID"), ("99999999999999999999", "too large")] {
        for more in [&[][..], &["--layout", "leaf"]] {
            let said = fails(store, &[&["decode", id], more].concat(), 1);
            assert!(said.contains(word), "{said}");
        }
    }
    let new = ["tag", "create", "u1", "--from", "100", "--until"];
    let said = fails(store, &[&new[..], &["50"]].concat(), 1);
    assert!(said.contains("would begin at 100") && said.contains("`none`"), "{said}");
    let made = leafid(store, &[&new[..], &["100"]].concat());
    let warned = String::from_utf8(made.stderr).unwrap();
    assert!(made.status.success() && warned.contains("no number to grant"), "{warned}");
    let said = fails(store, &["tag", "set", "u1", "--until", "50"], 1);
    assert!(said.contains("is 100, and numbers below may"), "{said}");
    let said = fails(store, &["tag", "advance", "u1", "--to", "50"], 1);
    assert!(said.contains("may have been granted"), "{said}");
    says(store, &["tag", "create", "u2", "--until", "none"]);
    assert!(!says(store, &["namespace", "set", "--help"]).contains("leaf]"));
    assert!(says(store, &["namespace", "create", "--help"]).contains("the layout is `leaf`"));
    let nowhere = folder.path().join("no/such");
    let said = fails(&format!("sqlite:{}/a.db", nowhere.display()), &["init"], 1);
    assert!(said.contains(&format!("mkdir -p {}", nowhere.display())), "{said}");
}

/// Neither on the command line nor in a variable: what is refused may be in a log the next minute.
#[test]
fn no_password_is_shown() {
    let nowhere = "http://127.0.0.1:9";
    for (wrong, shown) in [
        ("postgres://u:geh@im@h/d", "u:***@h"),
        ("http://u:geheim@h", "http://u:***@h"),
        ("postgres//u:geheim@h/d", "postgres//u:***@h/d"),
        (" postgres://u:geheim@h/d", "postgres://u:***@h/d"),
        ("u:geheim@127.0.0.1:1/d", "u:***@127.0.0.1:1/d"),
        ("redis://u:geheim@h", "redis://u:***@h"),
    ] {
        let by_url = fails(nowhere, &["tag", "list", "--url", wrong], 2);
        assert!(by_url.contains(shown), "{by_url}");
        let by_store = fails(
            nowhere,
            &["tag", "list", "--store", wrong],
            if wrong.starts_with("http") { 2 } else { 1 },
        );
        let said =
            [by_url, by_store, fails(wrong, &["init"], 1), fails(wrong, &["backup", "to"], 1)];
        for said in said {
            assert!(!said.contains("geh") && !said.contains("im@"), "{wrong}: {said}");
        }
    }
    for option in ["--config", "--tokens", "--journal", "--apply", "--leaf-config"] {
        let missing = "sqlite:no/such/folder/store.db";
        let said = fails(missing, &["serve", option, "postgres://u:geheim@h/d"], 1);
        assert!(!said.contains("geheim"), "{option}: {said}");
        // Those that are looked at before the store.
        let is_first = matches!(option, "--config" | "--tokens");
        assert!(!is_first || said.contains("postgres://u:***@h/d"), "{option}: {said}");
    }
    let help = says("postgres://u:geheim@h/d", &["backup", "--help"]);
    assert!(!help.contains("geheim"), "{help}");
    let dump = fails("postgres://u:geheim@h/d", &["backup", "to"], 1);
    assert!(dump.contains("pg_dump") && dump.contains("u:***@h/d"), "{dump}");
    let dump = fails("mysql://u:geheim@h/d", &["backup", "to"], 1);
    assert!(dump.contains("mysqldump"), "{dump}");
}

/// Each was taken for a file, in this folder or in the root of the file system.
#[test]
fn what_is_no_file_makes_none() {
    let folder = tempfile::tempdir().unwrap();
    let run = |store: &str| {
        let mut command = Command::new(LEAFID);
        command.arg("init").env("LEAFID_STORE", store).current_dir(folder.path());
        let output = output(&mut command);
        let said = [output.stdout, output.stderr].concat();
        (output.status.code(), String::from_utf8(said).unwrap())
    };
    for (wrong, word) in [
        ("127.0.0.1:8750", "did you mean http://127.0.0.1:8750?"),
        ("localhost:8750", "did you mean http://localhost:8750?"),
        ("sqlite://leafid2.db", "sqlite:/var/lib/leafid.db"),
        ("sqlite:a.db?mode=ro", "without `?`"),
        ("sqlite:~/a.db", "`~`"),
        ("memory:", "Python and Node"),
    ] {
        let (code, said) = run(wrong);
        assert!(code == Some(1) && said.contains(word), "{wrong}: {said}");
    }
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0, "nothing was made");
    let (code, said) = run("");
    let place = folder.path().canonicalize().unwrap().join("leafid.db");
    assert!(code == Some(0) && said.contains(&format!("sqlite:{}", place.display())), "{said}");
}

/// Each would ask port 80 of that host, or be taken for a file.
#[test]
fn an_address_that_is_none_is_a_misused_command_line() {
    let nowhere = "http://127.0.0.1:9";
    for wrong in ["127.0.0.1:8801", "http://h:99999", "http://h:abc", "http://h:-1", "http://h:"] {
        let said = fails(nowhere, &["tag", "list", "--url", wrong], 2);
        assert!(said.contains("`--url` takes http://HOST:PORT"), "{said}");
        assert!(said.contains(&format!("got `{wrong}`")), "{said}");
        if wrong.starts_with("http:") {
            let said = fails(wrong, &["next", "orders"], 2);
            assert!(said.contains("`LEAFID_STORE` takes http://HOST:PORT"), "{said}");
        }
    }
}

#[test]
fn a_verb_that_needs_a_file_says_that_the_variable_names_a_server() {
    let server = "http://127.0.0.1:8750";
    for (args, way) in [
        (&["serve", "--listen", "127.0.0.1:0"][..], "leafid serve --store sqlite:PATH"),
        (&["init"], "leafid init --store sqlite:PATH"),
        (&["migrate"], "leafid migrate --store sqlite:PATH"),
    ] {
        let said = fails(server, args, 1);
        let told = format!("LEAFID_STORE is `{server}`, the address of a running server");
        assert!(said.contains(&told) && said.contains(way), "{said}");
    }
    let said = fails("a.db", &["init", "--store", server], 1);
    assert!(said.contains(&format!(" `{server}` is the address of a running server")), "{said}");
    assert!(!said.contains("LEAFID_STORE"), "{said}");
}

/// A script that reads half a list must hear of it.
#[cfg(target_os = "linux")]
#[test]
fn what_cannot_be_written_is_no_success() {
    use std::process::Stdio;

    let folder = tempfile::tempdir().unwrap();
    let store = folder.path().join("store.db").display().to_string();
    says(&store, &["init"]);
    says(&store, &["tag", "create", "orders"]);
    for args in [
        &["next", "orders", "--count", "3"][..],
        &["lease", "orders", "--count", "3"],
        &["decode", "5", "--layout", "leaf"],
        &["tag", "list"],
        &["namespace", "list"],
        &["openapi"],
        &["version"],
        &["--version"],
        &["next", "--help"],
    ] {
        let writes_to = |out: Stdio| {
            let mut command = Command::new(LEAFID);
            output_elsewhere(command.args(args).env("LEAFID_STORE", &store), out)
        };
        let full = std::fs::OpenOptions::new().write(true).open("/dev/full").unwrap();
        let to_nobody = || {
            let (reader, closed) = std::io::pipe().unwrap();
            drop(reader);
            // A program that another test starts at this moment has it until it runs: then again.
            Some(writes_to(closed.into())).filter(|output| !output.status.success())
        };
        for (output, code, why) in [
            (writes_to(full.into()), 1, "standard output: No space"),
            (until(to_nobody).expect("it notices"), 141, ""),
        ] {
            let said = String::from_utf8(output.stderr).unwrap();
            assert_eq!(output.status.code(), Some(code), "{args:?}, {why}: {said}");
            // Who closed the pipe wanted no more, as `head` does.
            assert_eq!(said.is_empty(), why.is_empty(), "{args:?}: {said}");
            assert!(said.contains(why), "{args:?}: {said}");
            assert!(!said.contains("panicked"), "{args:?}: {said}");
        }
    }
}

#[test]
fn every_verb_has_help_and_every_option_of_serve_a_variable() {
    let nowhere = "http://127.0.0.1:9";
    for args in [
        &[][..],
        &["serve"],
        &["init"],
        &["migrate"],
        &["tag"],
        &["tag", "create"],
        &["tag", "list"],
        &["tag", "set"],
        &["tag", "advance"],
        &["tag", "delete"],
        &["lease"],
        &["namespace"],
        &["namespace", "create"],
        &["namespace", "set"],
        &["namespace", "list"],
        &["worker"],
        &["worker", "list"],
        &["worker", "release"],
        &["apply"],
        &["health"],
        &["backup"],
        &["next"],
        &["decode"],
        &["openapi"],
        &["version"],
    ] {
        let help = says(nowhere, &[args, &["--help"]].concat());
        let usage = format!(
            "Usage: {}",
            ["leafid"].iter().chain(args).copied().collect::<Vec<_>>().join(" ")
        );
        assert!(help.contains(&usage), "{args:?}: {help}");
    }
    let help = says(nowhere, &["serve", "--help"]);
    let options = help.matches("\n      --").count() + help.matches("\n  -h, --").count() - 1;
    assert_eq!(help.matches("[env: LEAFID_").count(), options, "{help}");
}

#[test]
fn serve_listens_on_a_name_takes_a_bare_path_and_its_environment() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("store.db");
    let mut command = Command::new(LEAFID);
    command.arg("serve").env("LEAFID_STORE", &file).env("LEAFID_LISTEN", "localhost:0");
    let mut serving = Serving::spawn(command.env("LEAFID_DEV", "yes"));
    assert!(serving.url.starts_with("http://127.0.0.1:"), "{}", serving.url);
    assert_eq!(says(&serving.url, &["next", "any"]), "1\n");
    assert_eq!(serving.end("-TERM").0, Some(0));
    let bare = file.to_str().unwrap();
    assert!(says(bare, &["tag", "list"]).contains("any"));
    assert!(says("http://127.0.0.1:9", &["tag", "list", "--store", bare]).contains("any"));
}
