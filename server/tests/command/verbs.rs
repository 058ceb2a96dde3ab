//! The verbs' output and effects.

use std::process::Command;

use serde_json::Value;

use crate::support::{Home, LEAFID, Serving, fails, has, leafid, play, run, says, until};

const NOWHERE: &str = "http://127.0.0.1:9";

/// Verbs that work alike over HTTP and on the file itself, in a new store.
fn verbs(store: &str) {
    listed(store);
    play(store, TAGS);
    assert_eq!(says(store, &["tag", "list"]).lines().count(), 3, "a head, `bills` and `orders`");
    play(store, NAMESPACES);
    assert_eq!(says(store, &["namespace", "list"]).lines().count(), 3);
    let id = says(store, &["next", "--namespace", "edge"]);
    let parts = says(store, &["decode", id.trim(), "--namespace", "edge"]);
    assert!(parts.contains("worker    0") && parts.contains("time      20"), "{parts}");
    assert_eq!(says(NOWHERE, &["decode", id.trim(), "--layout", "edge"]), parts, "without a store");
}

/// Plays the list of commands and their output.
fn listed(store: &str) {
    let list: Value = serde_json::from_str(include_str!("tags.json")).unwrap();
    for case in list["cases"].as_array().unwrap() {
        let words = case["words"].as_array().unwrap().iter().map(|word| word.as_str().unwrap());
        let output = leafid(store, &words.collect::<Vec<_>>());
        let exit = case["exit"].as_i64().unwrap_or(0);
        assert_eq!(output.status.code().map(i64::from), Some(exit), "{case}: {output:?}");
        let out = String::from_utf8(output.stdout).unwrap();
        match case["lines"].as_u64() {
            Some(lines) => assert_eq!(out.lines().count() as u64, lines, "{case}: {out}"),
            None => assert_eq!(out, case["out"].as_str().unwrap_or(""), "{case}"),
        }
        has(&String::from_utf8(output.stderr).unwrap(), &[case["err"].as_str().unwrap_or("")]);
    }
}

const TAGS: &str = r#"
tag create bills --from 5000001 --step 10 => next number 5000001, step 10
next bills --count 2 == 5000001\n5000002\n
next ordres =1 leafid tag create ordres

tag create small --step 10 --until 2147483648 --from 2147483600 => next number 2147483600, step 10, max_step 1000000, until 2147483648
tag create small --step 10 --until 2147483648 --from 2147483600 --if-missing => exists already, nothing changed: next number 2147483600
tag create small --if-missing => exists already
tag create small --if-missing --from 2147483601 =1 TAG_EXISTS & it stands at 2147483600, below --from 2147483601
tag create small --if-missing --step 20 =1 TAG_EXISTS & its step is 10, not --step 20
tag create small --if-missing --max-step 20 =1 TAG_EXISTS & its max_step is 1000000, not --max-step 20
tag create small --if-missing --until 2147483647 =1 TAG_EXISTS & its until is 2147483648, not --until 2147483647

lease small --count 8 == 2147483600 2147483608\n
lease small --count 2 --json => "start":"2147483608" & "end":"2147483610"
lease small --count 39 =1 TAG_SPENT & 38 numbers left, and 39
tag set small --max-step 30 => step 10, max_step 30, until 2147483648
lease small --count 31 =1 COUNT_INVALID & --max-step 31
lease small --count 3 --as postgres => "small_id_leafid" & MINVALUE 2147483610 MAXVALUE 2147483612 & NO CYCLE
lease small --count 3 --as mysql => ALTER TABLE `small` AUTO_INCREMENT = 2147483613; & NEW.id NOT BETWEEN 2147483613 AND 2147483615
tag create app.small --from 5 => `app.small`
lease app.small --count 3 --as postgres => ALTER TABLE "app"."small" & nextval('"app"."small_id_leafid"') & MAXVALUE 7
tag delete app.small => deleted
# A table that cannot be named is refused before anything is leased for it.
lease a.b.c --count 3 --as mysql =1 SCHEMA.TABLE
lease a. --count 3 --as mysql =1 SCHEMA.TABLE
lease ttttttttttttttttttttttttttttttttttttttttttttttttttttttt --count 3 --as postgres =1 at most 63 bytes

tag advance small --to 2147483647 => next number 2147483647
# Again, and no refusal.
tag advance small --to 2147483647 => next number 2147483647
tag set small --until none => !until
tag advance small --to 5000000000 => next number 5000000000
tag delete small => goes on where it stood
tag create small => next number 5000000000
tag delete small => goes on where it stood
"#;

const NAMESPACES: &str = "
namespace create edge --layout edge --workers 0..64 --max-window 10s => workers 0..64, windows of 10000 ms
namespace create own --epoch-ms 1735689600000 --tick-ms 10 --bits 39/8/6 => `own`
namespace create own --epoch-ms 1735689600000 --tick-ms 10 --bits 39/8/6 => exists already
namespace create edge --layout leaf =1 LAYOUT_MISMATCH & namespace set edge
namespace create edge --layout edge --workers 0..2 =1 LAYOUT_MISMATCH & namespace set edge
namespace set egde --workers 0..9 =1 egde
namespace set edge --workers 0..65 => 41/16/6 bits & 0..65
namespace create own --epoch-ms 1735689600000 --tick-ms 10 --bits 41/11/12 =1 LAYOUT_INVALID & 64 bits
";

#[test]
fn the_verbs_speak_to_a_server_and_sigterm_ends_it() {
    let home = Home::new();
    let mut serving = home.serve(&[]);
    verbs(&serving.url);
    assert_eq!(serving.end("-TERM"), (Some(0), "leafid: stopped\n".to_owned()));
    assert_eq!(home.files(), 1, "the log is folded into the file");
}

#[test]
fn the_verbs_work_in_the_file_itself() {
    let home = Home::new();
    let store = &format!("sqlite:{}", home.store);
    assert!(says(store, &["init"]).starts_with(&format!("created {store}, store id ")));
    verbs(store);
}

#[test]
fn a_misused_command_line_is_explained() {
    play(NOWHERE, MISUSED);
    has(&fails(NOWHERE, &[], 2), &["Usage: leafid", "serve"]);
    play(NOWHERE, "--version => leafid 0.");
}

const MISUSED: &str = "
serv =2 unrecognized subcommand 'serv'
tag =2 create
tag create =2 <NAME>
tag create a b =2 unexpected argument 'b'
tag create a --step many =2 invalid value 'many' for '--step <N>'
tag create a --max-step 2147483648 =2 not in 1..=2147483647
tag create a --from -5 =2 whole number from 1 to 9223372036854775807
next a --count 10001 =2 not in 1..=10000
next a --count -1 =2 invalid value '-1'
tag list --all =2 unexpected argument '--all'
namespace create n --max-window 10 =2 1500ms, 10s
namespace set n --max-window 999ms =2 from 1s to 24h
namespace create n --epoch-ms 2025 =2 --tick-ms
namespace create n --epoch-ms soon =2 invalid value 'soon'
namespace create n --bits 41/10/12 =2 --tick-ms
namespace create n --layout wide =2 use leaf, edge, long or js53
tag set a =2 --step
tag set a --until never =2 or `none`
tag advance a =2 --to <N>
lease a =2 --count <N>
lease a --count 0 =2 invalid value '0'
lease a --count 1 --as xml =2 postgres, mysql
lease a --count 1 --as mysql --json =2 leave one out
next =2 <TAG|--namespace
next a --namespace b =2 cannot be used with
serve --listen here =2 localhost:8750
serve --listen 0.0.0.0:0 =1 NOT_ENABLED & --tls-cert
tag list =1 STORE_UNAVAILABLE & leafid serve
tag list --store redis://x =1 redis://x & sqlite:PATH
tag create 'or ders' =1 TAG_INVALID & or ders
tag create 'a:*' =1 TAG_INVALID & a:*
";

#[test]
fn numbers_that_cannot_be_are_named_as_they_are() {
    let home = Home::new();
    let store = home.store.as_str();
    play(store, "tag list =1 does not exist");
    assert_eq!(leafid(store, &["tag", "list"]).stdout, b"", "no header above an error");
    play(store, NUMBERS);
    assert_eq!(leafid(store, &["worker", "list", "nobody"]).stdout, b"", "no header");
    let made = leafid(store, &["tag", "create", "u1", "--from", "100", "--until", "100"]);
    let warned = String::from_utf8(made.stderr).unwrap();
    assert!(made.status.success() && warned.contains("no number to grant"), "{warned}");
    play(store, BELOW);
    let nowhere = home.at("no/such");
    has(&fails(&format!("sqlite:{nowhere}/a.db"), &["init"], 1), &[&format!("mkdir -p {nowhere}")]);
}

const NUMBERS: &str = "
init => created
worker list nobody =1 NAMESPACE_UNKNOWN
decode -5 =1 `-5` is not an ID
decode 99999999999999999999 =1 too large
tag create u1 --from 100 --until 50 =1 would begin at 100 & `none`
";

const BELOW: &str = "
tag set u1 --until 50 =1 is 100, and numbers below may
tag advance u1 --to 50 =1 may have been granted
tag create u2 --until none => `u2`
namespace set --help => !leaf]
namespace create --help => the layout is `leaf`
";

/// Neither from the command line nor from a variable: error messages end up in logs. How a URL is shown:
/// `cli/named.rs`; what the parser repeats: `config.rs`.
#[test]
fn no_password_is_shown() {
    let url = "postgres://u:geheim@h/d";
    let shown = "postgres://u:***@h/d & !geheim";
    play(NOWHERE, &format!("tag list --url {url} =2 {shown}"));
    // Settings that are checked before the store, and its parts.
    for (settings, shown) in [
        (format!("--config {url}"), shown),
        (format!("--tokens {url}"), shown),
        (format!("--journal {url}"), "!geheim"),
        (format!("--apply {url}"), "!geheim"),
        (format!("--leaf-config {url}"), "!geheim"),
        ("--listen 127.0.0.1:0 --store mysql://u:geheim@127.0.0.1".to_owned(), "!geheim"),
    ] {
        play("sqlite:no/such/folder/store.db", &format!("serve {settings} =1 {shown}"));
    }
    let script = "backup --help => !geheim
                  serve --help => LEAFID_STORE & !geheim
                  backup to =1 pg_dump & u:***@h/d & !geheim";
    play(url, script);
    play("mysql://u:geheim@h/d", "backup to =1 mysqldump & !geheim");
    play("postgres//u:geheim@h/d", "init =1 u:***@h/d & !geheim");
}

/// Each would reach port 80 of that host, or be taken for a file; the other forms are in `client.rs`.
#[test]
fn what_names_a_server_and_what_a_file_is_not_mixed_up() {
    let wrong = "takes http://HOST:PORT & got `http://h:99999`";
    play(NOWHERE, &format!("tag list --url http://h:99999 =2 `--url` {wrong}"));
    play("http://h:99999", &format!("next orders =2 `LEAFID_STORE` {wrong}"));
    let server = "http://127.0.0.1:8750";
    let told = "is `http://127.0.0.1:8750`, the address of a running server";
    for (verb, more) in [("serve", "--listen 127.0.0.1:0"), ("init", "")] {
        let way = format!("leafid {verb} --store sqlite:PATH");
        play(server, &format!("{verb} {more} =1 LEAFID_STORE {told} & {way}"));
    }
    let named = format!("init --store {server} =1 is the address of a running server");
    play("a.db", &format!("{named} & !LEAFID_STORE"));
}

/// A list that is cut short must fail, so that a script notices.
#[cfg(target_os = "linux")]
#[test]
fn what_cannot_be_written_is_no_success() {
    use std::process::Stdio;

    let home = Home::with_store();
    says(&home.store, &["tag", "create", "orders"]);
    for args in [
        &["next", "orders", "--count", "3"][..],
        &["lease", "orders", "--count", "3"],
        &["decode", "5"],
        &["tag", "list"],
        &["namespace", "list"],
        &["openapi"],
        &["--version"],
        &["next", "--help"],
    ] {
        let writes_to = |out: Stdio| {
            let mut command = Command::new(LEAFID);
            command.args(args).env("LEAFID_STORE", &home.store).stdout(out);
            let (output, ended) = run(&mut command).expect("it starts");
            assert!(ended, "{args:?} does not end: {output:?}");
            output
        };
        let full = std::fs::OpenOptions::new().write(true).open("/dev/full").unwrap();
        let to_nobody = || {
            let (reader, closed) = std::io::pipe().unwrap();
            drop(reader);
            // A process that another test is starting may hold the pipe for a moment: try again.
            Some(writes_to(closed.into())).filter(|output| !output.status.success())
        };
        for (output, code, why) in [
            (writes_to(full.into()), 1, "standard output: No space"),
            (until(to_nobody).expect("it notices"), 141, ""),
        ] {
            let said = String::from_utf8(output.stderr).unwrap();
            assert_eq!(output.status.code(), Some(code), "{args:?}, {why}: {said}");
            // A reader that closed the pipe wanted no more, as `head` does.
            assert_eq!(said.is_empty(), why.is_empty(), "{args:?}: {said}");
            assert!(said.contains(why), "{args:?}: {said}");
            assert!(!said.contains("panicked"), "{args:?}: {said}");
        }
    }
}

#[test]
fn serve_listens_on_a_name_takes_a_bare_path_and_its_environment() {
    let home = Home::new();
    let mut command = Command::new(LEAFID);
    command.arg("serve").env("LEAFID_STORE", &home.store).env("LEAFID_LISTEN", "localhost:0");
    let mut serving = Serving::spawn(command.env("LEAFID_DEV", "yes"));
    assert!(serving.url.starts_with("http://127.0.0.1:"), "{}", serving.url);
    assert_eq!(says(&serving.url, &["next", "any"]), "1\n");
    assert_eq!(serving.end("-INT").0, Some(0));
    let bare = home.store.as_str();
    assert!(says(bare, &["tag", "list"]).contains("any"));
    assert!(says("http://127.0.0.1:9", &["tag", "list", "--store", bare]).contains("any"));
}
