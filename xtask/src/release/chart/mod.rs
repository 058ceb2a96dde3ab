//! The Helm chart: rendered with each of its sample values, checked against the schemas of
//! Kubernetes, and what it renders run without a cluster: the servers' containers, with their
//! arguments, variables and mounted files.

mod flavours;
mod pod;

use std::path::Path;

use serde_json::Value;

use super::programs;
use crate::process::Run;
use crate::{Outcome, files, project};

const CHART: &str = "deploy/helm/leafid";
/// The version of Kubernetes whose schemas are asked.
const KUBERNETES: &str = "1.33";
/// The oldest that the chart may be installed in.
const OLDEST: &str = "1.25";

/// All of it.
pub fn look() -> Outcome<String> {
    let helm = programs::helm()?;
    let samples = files::ending(&project::at(CHART).join("ci"), "-values.yaml");
    for values in &samples {
        for version in [OLDEST, KUBERNETES] {
            let lint =
                Run::new(&helm).args(["lint", "--strict", "--quiet", CHART]).arg("-f").arg(values);
            lint.args(["--kube-version", version]).quiet().output()?;
        }
        let rendered = project::target().join("release/chart.yaml");
        files::write(&rendered, render(values, &[])?)?;
        programs::python("kubernetes-validate")?
            .args(["--strict", "--quiet", "-k", KUBERNETES])
            .arg(&rendered)
            .done()?;
    }
    let refused = render(&project::at(CHART).join("values.yaml"), &["store.kind=database"]);
    if !refused.is_err_and(|why| why.contains("store.secretName")) {
        return Err("a database without a secret is rendered".to_owned());
    }
    packed(&helm)?;
    Ok(format!(
        "{} samples rendered and valid; no cluster, but {}",
        samples.len(),
        flavours::run()?
    ))
}

/// The chart as a release pushes it: under the release's version, without the samples.
fn packed(helm: &Path) -> Outcome {
    let folder = project::target().join("release/packed-chart");
    files::remove_dir(&folder)?;
    files::make_dir(&folder)?;
    Run::new(helm).quiet().args(["package", CHART, "--destination"]).arg(&folder).output()?;
    let name = format!("leafid-{}.tgz", project::version());
    let listed = Run::new("tar").quiet().arg("-tzf").arg(folder.join(&name)).output()?;
    let has = |file: &str| listed.lines().any(|line| line == format!("leafid/{file}"));
    if !has("values.schema.json") || has("ci/sqlite-values.yaml") {
        return Err(format!("`{name}` has the wrong files:\n{listed}"));
    }
    Ok(())
}

fn render(values: &Path, set: &[&str]) -> Outcome<String> {
    let helm = programs::helm()?;
    let run = Run::new(helm).quiet().args(["template", "r", CHART, "-f"]).arg(values);
    let run = run.args(["--kube-version", KUBERNETES]);
    set.iter().fold(run, |run, set| run.args(["--set", set])).output()
}

/// The documents that a sample is rendered to.
fn documents(sample: &str, set: &[&str]) -> Outcome<Vec<Value>> {
    let yaml = render(&project::at(CHART).join("ci").join(sample), set)?;
    let program = "import json, sys, yaml; \
                   print(json.dumps([d for d in yaml.safe_load_all(sys.argv[1]) if d]))";
    let said = programs::python("python")?.quiet().args(["-c", program, &yaml]).output()?;
    serde_json::from_str(&said).map_err(|error| format!("what helm rendered: {error}"))
}
