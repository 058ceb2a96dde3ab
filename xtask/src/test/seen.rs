//! What operators see, tried by the programs that they use: the dashboard in a Chromium, the alert
//! rules and the metrics in Prometheus' own tool.

use leafid_stream::store::Store;

use super::suites;
use crate::build;
use crate::process::Run;
use crate::run::scratch::Scratch;
use crate::{Outcome, files, project, tools};

const RULES: &str = "deploy/prometheus/leafid.rules.yml";
const RULES_TEST: &str = "deploy/prometheus/leafid.rules.test.yml";

/// The dashboard, over real stores.
pub fn dashboard() -> Outcome<String> {
    build::need(&["server"])?;
    tools::node_modules()?;
    let install = "install the package `chromium`";
    tools::need("/usr/bin/chromium", &["--version"], install)?;
    let tests = suites::test_files(&project::at("server/tests/dashboard"), "")?;
    suites::told(suites::with_places(suites::node_tests(tests), &project::at("tests/vectors")))
}

/// The rules are sound, raise what they are to raise, and the metrics are as Prometheus wants them.
pub fn alerts() -> Outcome<String> {
    build::need(&["server"])?;
    tools::need("promtool", &["--version"], "install the package `prometheus`")?;
    let promtool = |words: &[&str]| Run::new("promtool").args(words);
    promtool(&["check", "rules"]).arg(project::at(RULES)).done()?;
    promtool(&["test", "rules"]).arg(project::at(RULES_TEST)).done()?;
    let scratch = Scratch::make()?;
    let mut store = Store::start(&build::server_binary(), scratch.path())?;
    store.operate(&["tag", "create", "orders"])?;
    store.operate(&["next", "orders"])?;
    let text = scratch.path().join("metrics");
    Run::new("curl")
        .args(["-sSf", "-o"])
        .arg(&text)
        .arg(format!("{}/metrics", store.url()))
        .done()?;
    let checked = Run::new("sh").args(["-c", "promtool check metrics < \"$1\"", "sh"]).arg(&text);
    let checked = checked.done();
    store.terminate()?;
    checked?;
    let lines = files::read(&text)?.lines().count();
    Ok(format!("rules as they are to be, {lines} lines of metrics without a complaint"))
}
