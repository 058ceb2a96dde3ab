//! `--json`: every verb prints one shape, the one that the docs page lists.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;

use crate::support::{Home, fails, leafid, says, until};

const PAGE: &str = include_str!("../../../docs/COMMAND.md");

fn documented() -> BTreeMap<String, Vec<String>> {
    let table = PAGE.split("| verb | fields |").nth(1).unwrap().split("\n\n").next().unwrap();
    let rows = table.lines().filter_map(|row| row.strip_prefix("| `")?.split_once("` | "));
    let fields = |cell: &str| {
        // Parentheses hold the fields of a row; a field after `and` is optional.
        let always = cell.split([';', '(']).next().unwrap().split(" and").next().unwrap();
        let always = always.split(": ").last().unwrap();
        always.split('`').skip(1).step_by(2).map(str::to_owned).collect()
    };
    rows.map(|(verb, cell)| (verb.to_owned(), fields(cell))).collect()
}

/// The verbs that `--help` lists; those of a group as two words.
fn verbs() -> BTreeSet<String> {
    let listed = |words: &[&str]| -> Vec<String> {
        let help = says("", &[words, &["--help"]].concat());
        let list = help.split("Commands:\n").nth(1).unwrap_or_default();
        let lines = list.lines().take_while(|line| !line.is_empty());
        let words = lines.filter(|line| line.starts_with("  ") && !line.starts_with("   "));
        words.map(|line| line.split_whitespace().next().unwrap().to_owned()).collect()
    };
    let mut all = BTreeSet::new();
    for verb in listed(&[]).into_iter().filter(|verb| verb != "help") {
        let below = listed(&[&verb]);
        match below.is_empty() {
            true => drop(all.insert(verb)),
            false => all.extend(
                below.iter().filter(|word| *word != "help").map(|word| format!("{verb} {word}")),
            ),
        }
    }
    all
}

/// Removes a server that has never run.
fn removed(home: &Home, url: &str) -> Value {
    let file = rusqlite::Connection::open(&home.store).unwrap();
    let ack = "SELECT 'name gone' || char(10) || 'ack ' || lower(hex(server)) || ' ' || beat FROM servers";
    let mut id = 0_u8;
    let done = until(|| {
        // One that was silent for 8 s, on a busy machine, was removed before it was asked for.
        id += 1;
        let add = format!("INSERT INTO servers VALUES (?1, '1.00000000.1', ({ack} LIMIT 1))");
        file.execute(&add, [vec![id; 16]]).unwrap();
        let name = format!("{id:02x}").repeat(16);
        until(|| {
            let output = leafid(url, &["server", "remove", &name, "--json"]);
            let is_late = String::from_utf8_lossy(&output.stderr).contains("no other server");
            (output.status.success() || is_late).then_some(output)
        })
        .filter(|output| output.status.success())
    });
    serde_json::from_slice(&done.expect("a server that is removed").stdout).unwrap()
}

#[test]
fn every_verb_prints_what_the_page_says() {
    let home = Home::with_store();
    let [other, copy, tokens] = ["other.db", "copy.db", "tokens.toml"].map(|name| home.at(name));
    let tags = home.write("tags.toml", "[tags.orders]\nstep = 20\n[tags.more]\n");
    let leafs = home.write("workerID.json", r#"{"10.0.0.1:8080": 3}"#);
    let served = Home::new();
    let serving = served.serve(&[]);
    let mut shown: BTreeMap<String, Value> = BTreeMap::new();
    for (verb, more) in [
        ("init", &["--store", &*other][..]),
        ("tag create", &["orders"]),
        ("tag set", &["orders", "--step", "5"]),
        ("tag advance", &["orders", "--to", "7"]),
        ("tag list", &[]),
        ("apply", &[&tags]),
        ("namespace create", &["edge", "--layout", "edge"]),
        ("namespace set", &["edge", "--workers", "0..5"]),
        ("namespace list", &[]),
        ("next", &["orders"]),
        ("lease", &["orders", "--count", "3"]),
        ("decode", &["5"]),
        ("worker list", &["edge"]),
        ("worker release", &["edge", "3"]),
        ("worker import", &["leafs", "--leaf-local", &leafs]),
        ("backup", &[&copy]),
        ("repair", &["--without-journal"]),
        ("server list", &["--url", &serving.url]),
        ("tag delete", &["orders"]),
        ("config", &[]),
        ("health", &["--url", &serving.url]),
        ("token create", &["web", "--tokens", &tokens]),
        ("token list", &["--tokens", &tokens]),
        ("token revoke", &["web", "--tokens", &tokens]),
    ] {
        let words: Vec<&str> = verb.split(' ').chain(more.iter().copied()).collect();
        let said = says(&home.store, &[&words[..], &["--json"]].concat());
        assert_eq!(said.lines().count(), 1, "{verb}: {said}");
        shown.insert(verb.to_owned(), serde_json::from_str(&said).unwrap());
    }
    shown.insert("server remove".to_owned(), removed(&served, &serving.url));
    let documented = documented();
    for (verb, value) in &shown {
        let fields = &documented[verb];
        assert!(!fields.is_empty(), "{verb}");
        for field in fields {
            assert!(value.get(field).is_some(), "`{verb}` has no `{field}`: {value}");
        }
    }
    let without = ["serve", "openapi", "completions"];
    let all: Vec<String> = verbs().into_iter().filter(|verb| !without.contains(&&**verb)).collect();
    assert_eq!(all, documented.keys().cloned().collect::<Vec<_>>(), "the page has each verb");
    assert_eq!(all, shown.keys().cloned().collect::<Vec<_>>(), "each was run");
    assert_eq!(shown["apply"]["steps"][1]["fields"]["step"]["to"], 20, "{}", shown["apply"]);
    assert_eq!(shown["lease"]["count"], 3);
    assert_eq!(shown["token list"]["principals"][0]["tokens"][0]["live"], true);
    assert_eq!(shown["token revoke"]["revoked"], 1);
}

#[test]
fn what_fails_says_so_in_json() {
    let home = Home::with_store();
    let said = fails(&home.store, &["tag", "set", "misspelt", "--step", "1", "--json"], 1);
    let problem: Value = serde_json::from_str(&said).unwrap();
    assert_eq!(problem["code"], "TAG_UNKNOWN", "{said}");
    assert!(problem["detail"].as_str().unwrap().contains("leafid tag create misspelt"), "{said}");
}
