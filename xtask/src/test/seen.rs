//! Tests what operators see with their own programs: the dashboard in a Chromium, the alert rules and metrics
//! in Prometheus' tool.

use leafid_stream::store::Store;

use super::{runners, suites};
use crate::process::Run;
use crate::report::Report;
use crate::{Outcome, build, files, project, tools};

const RULES: &str = "deploy/prometheus/leafid.rules.yml";
const RULES_TEST: &str = "deploy/prometheus/leafid.rules.test.yml";
const NO_PROMTOOL: &str = "NOT RUN  promtool: no `promtool` (apt-get install prometheus)";

const FETCH: &str = "fetch(process.argv[1]).then((answer) => answer.text()).then((text) => process.stdout.write(text))";

/// Tests the dashboard over real stores.
pub fn dashboard() -> Outcome<Report> {
    build::need(&["server"])?;
    tools::node_modules_of_tests()?;
    let tests = suites::test_files(&project::at("server/tests/dashboard"), "")?;
    runners::node(suites::with_places(Run::new("node"), &project::at("tests/vectors")), &tests)
}

/// Checks that the rules are valid and raise the right alerts, and the metrics' format.
pub fn alerts() -> Outcome<Report> {
    let promtool = |words: &[&str]| Run::new("promtool").args(words);
    if promtool(&["--version"]).quiet().listen().is_err() {
        let mut report = Report::default();
        report.skip(NO_PROMTOOL);
        return if project::in_ci() { Err(NO_PROMTOOL.to_owned()) } else { Ok(report) };
    }
    build::need(&["server"])?;
    promtool(&["check", "rules"]).arg(project::at(RULES)).done()?;
    promtool(&["test", "rules"]).arg(project::at(RULES_TEST)).done()?;
    let scratch = files::scratch()?;
    let mut store = Store::start(&build::server_binary(), scratch.path())?;
    store.operate(&["tag", "create", "orders"])?;
    store.operate(&["next", "orders"])?;
    let text = scratch.path().join("metrics");
    let metrics = format!("{}/metrics", store.url());
    files::write(&text, Run::new("node").args(["-e", FETCH, &metrics]).output()?)?;
    let checked = Run::new("sh").args(["-c", "promtool check metrics < \"$1\"", "sh"]).arg(&text);
    let checked = checked.done();
    store.terminate()?;
    checked?;
    let lines = files::read(&text)?.lines().count();
    Ok(format!("rules as they are to be, {lines} lines of metrics without a complaint").into())
}
