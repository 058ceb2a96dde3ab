//! The alert rules, the Grafana dashboard and the pages about them name only metrics that exist.

use std::collections::BTreeSet;

use serde_json::Value;

use crate::support::{Home, agent, says, until};

const RULES: &str = include_str!("../../../deploy/prometheus/leafid.rules.yml");
const GRAFANA: &str = include_str!("../../../deploy/grafana/leafid.json");
const METRICS: &str = include_str!("../../../docs/METRICS.md");
const ALERTS: &str = include_str!("../../../docs/ALERTS.md");

fn names(text: &str) -> BTreeSet<String> {
    let words = text.split(|c: char| !c.is_ascii_alphanumeric() && c != '_');
    let is_ours = |word: &&str| {
        (word.starts_with("leafid_") || word.starts_with("process_")) && !word.ends_with('_')
    };
    words.filter(is_ours).map(str::to_owned).collect()
}

fn missing(named: &BTreeSet<String>, samples: &BTreeSet<String>) -> Vec<String> {
    named.difference(samples).cloned().collect()
}

/// The metrics text of a server that did a little of everything.
fn metrics() -> String {
    let home = Home::new();
    std::fs::create_dir(home.at("journal")).unwrap();
    let serving = home.serve(&["--journal", &home.at("journal")]);
    says(&serving.url, &["tag", "create", "orders"]);
    says(&serving.url, &["next", "orders"]);
    says(&serving.url, &["next", "--namespace", "default"]);
    let text = || {
        let answer = agent().get(format!("{}/metrics", serving.url)).call();
        answer.unwrap().body_mut().read_to_string().unwrap()
    };
    // A tag's time to exhaustion is known once it was seen twice.
    let whole = || Some(text()).filter(|text| text.contains("leafid_tag_exhaustion_seconds{"));
    until(whole).expect("a tag that was seen twice")
}

#[test]
fn every_metric_that_is_watched_or_explained_is_there_and_the_other_way_round() {
    let text = metrics();
    let sample = |line: &str| line.split(['{', ' ']).next().unwrap_or_default().to_owned();
    let samples: BTreeSet<String> =
        text.lines().filter(|line| !line.starts_with('#')).map(sample).collect();
    let families: BTreeSet<String> = text
        .lines()
        .filter_map(|line| line.strip_prefix("# TYPE ")?.split(' ').next())
        .map(str::to_owned)
        .collect();
    assert!(families.len() >= 38, "{families:?}");
    let grafana: Value = serde_json::from_str(GRAFANA).unwrap();
    let of_grafana: BTreeSet<String> = grafana["panels"]
        .as_array()
        .unwrap()
        .iter()
        .flat_map(|panel| panel["targets"].as_array().unwrap())
        .flat_map(|target| names(target["expr"].as_str().unwrap()))
        .collect();
    assert!(of_grafana.len() >= 20, "{of_grafana:?}");
    let expressions = RULES.lines().filter(|line| !line.contains("_url:"));
    let of_rules = names(&expressions.collect::<Vec<_>>().join("\n"));
    assert!(of_rules.len() >= 15, "{of_rules:?}");
    for named in [&of_grafana, &of_rules] {
        assert_eq!(missing(named, &samples), Vec::<String>::new());
    }
    // The control: a metric that does not exist is found.
    let mut wrong = of_rules;
    wrong.insert("leafid_store_upp".to_owned());
    assert_eq!(missing(&wrong, &samples), ["leafid_store_upp"]);

    let rows = METRICS.lines().filter_map(|line| line.strip_prefix("| `")?.split('`').next());
    let explained = names(&rows.collect::<Vec<_>>().join("\n"));
    assert_eq!(explained, families, "the table in docs/METRICS.md");
}

#[test]
fn every_alert_leads_to_what_is_to_be_done() {
    let of = |key: &str| -> Vec<String> {
        let key = format!("{key}: ");
        let lines = RULES
            .lines()
            .filter_map(|line| line.trim().trim_start_matches("- ").strip_prefix(key.as_str()));
        lines.map(str::to_owned).collect()
    };
    let (alerts, urls) = (of("alert"), of("runbook_url"));
    assert!(alerts.len() >= 10 && alerts.len() == urls.len(), "{alerts:?} {urls:?}");
    for (alert, url) in alerts.iter().zip(&urls) {
        assert!(url.ends_with(&format!("docs/ALERTS.md#{}", alert.to_lowercase())), "{url}");
        let title = format!("\n## {alert}\n");
        let (_, section) =
            ALERTS.split_once(&title).unwrap_or_else(|| panic!("no section {alert}"));
        let section = section.split("\n#").next().unwrap_or_default();
        assert!(section.len() > 100, "{alert}: {section}");
        assert!(section.starts_with("`page`.") || section.starts_with("`ticket`."), "{alert}");
    }
    let sections = ALERTS.lines().filter_map(|line| line.strip_prefix("## Leafid"));
    assert_eq!(sections.count(), alerts.len(), "a section without an alert");
}
