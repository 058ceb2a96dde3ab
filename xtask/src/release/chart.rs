//! The Helm chart: rendered with each of its sample values, checked against the schemas of
//! Kubernetes, and what it renders run without a cluster: the server's container, with its arguments,
//! variables and mounted files.

use serde_json::Value;

use super::image::{Stage, below, free_address};
use super::programs;
use crate::process::Run;
use crate::{Outcome, files, project};

const CHART: &str = "deploy/helm/leafid";
/// The version of Kubernetes whose schemas are asked.
const KUBERNETES: &str = "1.33";

/// All of it.
pub fn look() -> Outcome<String> {
    let helm = programs::helm()?;
    let samples = files::ending(&project::at(CHART).join("ci"), "-values.yaml");
    for values in &samples {
        let lint =
            Run::new(&helm).args(["lint", "--strict", "--quiet", CHART]).arg("-f").arg(values);
        lint.args(["--kube-version", KUBERNETES]).done()?;
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
    let run = run()?;
    Ok(format!("{} samples rendered and valid; the container runs: {run}", samples.len()))
}

fn render(values: &std::path::Path, set: &[&str]) -> Outcome<String> {
    let helm = programs::helm()?;
    let run = Run::new(helm).quiet().args(["template", "r", CHART, "-f"]).arg(values);
    let run = run.args(["--kube-version", KUBERNETES]);
    set.iter().fold(run, |run, set| run.args(["--set", set])).output()
}

/// Runs the server of the SQLite sample: it makes its store and its tags, is reached as the service
/// reaches it, and is started again as an upgrade does.
fn run() -> Outcome<String> {
    let [within, without] = [free_address()?, free_address()?];
    let port = without.rsplit(':').next().unwrap_or_default();
    let listen = format!("config.listen={{http://{within},0.0.0.0:{port}}}");
    let sample = project::at(CHART).join("ci/sqlite-values.yaml");
    let all = documents(&render(&sample, &[&listen])?)?;
    let stage = Stage::make("chart")?;
    let container = container(&all, "StatefulSet")?;
    mount(&stage, &all, &container)?;
    let url = format!("http://{within}");
    let asked = |words: &[&str]| stage.run(&[words, &["--url", &url]].concat(), &[]);
    for _ in 0..2 {
        let mut running = stage.serve(&container.args, &pairs(&container.env))?;
        let said = wait_for(|| {
            let ready = asked(&["health"])?;
            let tags = asked(&["tag", "list"])?;
            (tags.contains("orders") && tags.contains("tenant:*")).then_some(ready).ok_or(tags)
        });
        let probe = &container.probe;
        let (path, host) = (&probe["path"], &probe["httpHeaders"][0]["value"]);
        let (path, host) = (path.as_str().unwrap_or_default(), host.as_str().unwrap_or_default());
        let kubelet = Run::new("curl")
            .quiet()
            .args(["--silent", "--show-error", "--fail", "--header", &format!("Host: {host}:8750")])
            .arg(format!("http://127.0.0.1:{port}{path}"))
            .output();
        let ended = running.stop()?;
        said?;
        kubelet?;
        if !ended {
            return Err("the server did not end well on SIGTERM".to_owned());
        }
    }
    Ok("its tags are there, and the kubelet's question is answered".to_owned())
}

/// What is there in the end, if it comes within half a minute.
fn wait_for(look: impl Fn() -> Outcome<String>) -> Outcome<String> {
    let begun = std::time::Instant::now();
    loop {
        let found = look();
        if found.is_ok() || begun.elapsed().as_secs() > 30 {
            return found;
        }
        std::thread::sleep(std::time::Duration::from_millis(50));
    }
}

/// What a container runs.
struct Container {
    args: Vec<String>,
    env: Vec<(String, String)>,
    /// Where the kubelet asks whether it is ready.
    probe: Value,
    /// Folders, each with the config map that fills it.
    mounts: Vec<(String, String)>,
}

fn container(all: &[Value], kind: &str) -> Outcome<Container> {
    let found = all.iter().find(|document| document["kind"] == kind);
    let pod = &found.ok_or(format!("the chart renders no {kind}"))?["spec"]["template"]["spec"];
    let container = &pod["containers"][0];
    let list = |value: &Value| value.as_array().cloned().unwrap_or_default();
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    let volumes = list(&pod["volumes"]);
    let mounts = list(&container["volumeMounts"]).into_iter().filter_map(|mount| {
        let volume = volumes.iter().find(|volume| volume["name"] == mount["name"])?;
        let map = volume["configMap"]["name"].as_str()?;
        Some((text(&mount["mountPath"]), map.to_owned()))
    });
    let env = list(&container["env"]);
    Ok(Container {
        args: list(&container["args"]).iter().map(text).collect(),
        env: env.iter().map(|pair| (text(&pair["name"]), text(&pair["value"]))).collect(),
        probe: container["readinessProbe"]["httpGet"].clone(),
        mounts: mounts.collect(),
    })
}

/// Puts the files of its config maps where the container has them.
fn mount(stage: &Stage, all: &[Value], container: &Container) -> Outcome {
    for (folder, map) in &container.mounts {
        let is_it = |document: &&Value| {
            document["kind"] == "ConfigMap" && document["metadata"]["name"] == map.as_str()
        };
        let found = all.iter().find(is_it).ok_or(format!("there is no config map `{map}`"))?;
        for (name, content) in found["data"].as_object().into_iter().flatten() {
            let file = below(&stage.root, folder).join(name);
            files::write(&file, content.as_str().unwrap_or_default())?;
        }
    }
    Ok(())
}

fn pairs(env: &[(String, String)]) -> Vec<(&str, &str)> {
    env.iter().map(|(name, value)| (name.as_str(), value.as_str())).collect()
}

/// The documents of a YAML text.
fn documents(yaml: &str) -> Outcome<Vec<Value>> {
    let file = project::target().join("release/run.yaml");
    files::write(&file, yaml)?;
    let program = "import json, sys, yaml; \
                   print(json.dumps([d for d in yaml.safe_load_all(open(sys.argv[1])) if d]))";
    let said = programs::python("python")?.quiet().args(["-c", program]).arg(&file).output()?;
    serde_json::from_str(&said).map_err(|error| format!("what helm rendered: {error}"))
}
