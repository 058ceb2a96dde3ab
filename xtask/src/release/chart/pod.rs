//! One pod of what the chart renders, as a folder that its program has for its root.

use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::Path;

use serde_json::Value;

use crate::process::Run;
use crate::release::image::Stage;
use crate::release::root::{Server, below, free_address, in_the_end};
use crate::{Outcome, files};

/// A secret that somebody made before the chart was installed: its name, and its keys.
pub type Secret = (&'static str, Vec<(&'static str, String)>);

/// A pod that runs.
pub struct Pod {
    stage: Stage,
    server: Server,
    /// What `kubectl exec` asks with.
    within: String,
    /// What clients reach it by.
    pub without: String,
}

impl Pod {
    /// Renders a sample for one pod, and starts its container.
    pub fn start(name: &str, sample: &str, set: &[&str], secrets: &[Secret]) -> Outcome<Pod> {
        Pod::make(Stage::make(name)?, sample, set, secrets)
    }

    /// Starts it again, with what its volumes have.
    pub fn again(self, sample: &str, set: &[&str], secrets: &[Secret]) -> Outcome<Pod> {
        Pod::make(self.stop()?, sample, set, secrets)
    }

    fn make(stage: Stage, sample: &str, set: &[&str], secrets: &[Secret]) -> Outcome<Pod> {
        let [within, without] = [free_address()?, free_address()?];
        let port = without.rsplit(':').next().unwrap_or_default();
        let listen = format!("config.listen={{http://{within},0.0.0.0:{port}}}");
        let all = super::documents(sample, &[set, &[&listen]].concat())?;
        let workload = all.iter().find(|one| one["spec"]["template"]["spec"].is_object());
        let workload = workload.ok_or("the chart renders no pod")?;
        let template = &workload["spec"]["template"]["spec"];
        let container = &template["containers"][0];
        mount(&stage, template, &all, secrets)?;
        claim(&stage, workload, template)?;
        let env: Vec<_> = list(&container["env"])
            .iter()
            .map(|one| Ok((text(&one["name"]), value(one, secrets)?)))
            .collect::<Outcome<_>>()?;
        let env: Vec<_> = env.iter().map(|(name, value)| (name.as_str(), value.as_str())).collect();
        let args: Vec<_> = list(&container["args"]).iter().map(text).collect();
        let server = stage.serve(&args, &env)?;
        for probe in ["startupProbe", "readinessProbe", "livenessProbe"] {
            let probe = &container[probe]["httpGet"];
            in_the_end(|| ask_as_kubelet(probe, port))?;
        }
        Ok(Pod { stage, server, within, without })
    }

    /// A verb, as `kubectl exec` runs it.
    pub fn exec(&self, words: &[&str], variables: &[(&str, &str)]) -> Outcome<String> {
        let url = format!("http://{}", self.within);
        self.stage.run(&[words, &["--url", &url]].concat(), variables)
    }

    /// A verb that a client runs, with an address and variables of its own.
    pub fn client(&self, words: &[&str], url: &str, more: &[(&str, &str)]) -> Outcome<String> {
        self.stage.run(&[words, &["--url", url]].concat(), more)
    }

    /// Ends it as a kubelet does, and keeps its volumes.
    pub fn stop(mut self) -> Outcome<Stage> {
        self.server.stop()?;
        Ok(self.stage)
    }
}

/// How many pods a sample asks for.
pub fn replicas(sample: &str) -> Outcome<usize> {
    let all = super::documents(sample, &[])?;
    let count = all.iter().find_map(|one| one["spec"]["replicas"].as_u64());
    count.map(|count| count as usize).ok_or("the chart renders no replicas".to_owned())
}

fn ask_as_kubelet(probe: &Value, port: &str) -> Outcome<String> {
    let (path, host) = (text(&probe["path"]), text(&probe["httpHeaders"][0]["value"]));
    let scheme = text(&probe["scheme"]).to_lowercase();
    Run::new("curl")
        .quiet()
        // A kubelet does not verify certificates.
        .args(["--silent", "--show-error", "--fail", "--insecure", "--max-time", "5", "--header"])
        .arg(format!("Host: {host}:{port}"))
        .arg(format!("{scheme}://127.0.0.1:{port}{path}"))
        .output()
}

/// Puts the files of its config maps and secrets where the container has them, as a kubelet does:
/// links to a folder that is exchanged as a whole, secrets readable by the pod's group alone.
fn mount(stage: &Stage, template: &Value, all: &[Value], secrets: &[Secret]) -> Outcome {
    let mounts = list(&template["containers"][0]["volumeMounts"]);
    let group = template["securityContext"]["fsGroup"].to_string();
    for volume in list(&template["volumes"]) {
        let mount = mounts.iter().find(|mount| mount["name"] == volume["name"]);
        let folder = mount.map(|mount| text(&mount["mountPath"]));
        let folder = below(&stage.root, &folder.ok_or(format!("nobody mounts {volume}"))?);
        let secret = volume["secret"]["secretName"].as_str();
        let content = match (secret, volume["configMap"]["name"].as_str()) {
            (Some(name), _) => {
                let found = secrets.iter().find(|(secret, _)| *secret == name);
                let (_, keys) = found.ok_or(format!("there is no secret `{name}`"))?;
                keys.iter().map(|(key, value)| ((*key).to_owned(), value.clone())).collect()
            }
            (None, Some(name)) => config_map(all, name)?,
            (None, None) => return Err(format!("a volume of a kind unknown here: {volume}")),
        };
        let mode = volume["secret"]["defaultMode"].as_u64().unwrap_or(0o644) as u32;
        files::remove_dir(&folder)?;
        for (name, text) in content {
            put(&folder, &name, &text, mode, &group)?;
        }
    }
    Ok(())
}

/// Gives the folders of claimed volumes to whom a kubelet gives them: root, and the pod's group.
fn claim(stage: &Stage, workload: &Value, template: &Value) -> Outcome {
    let group = template["securityContext"]["fsGroup"].to_string();
    for claim in list(&workload["spec"]["volumeClaimTemplates"]) {
        let name = &claim["metadata"]["name"];
        let mounts = list(&template["containers"][0]["volumeMounts"]);
        let mount = mounts.iter().find(|mount| mount["name"] == *name);
        let path = text(&mount.ok_or(format!("nobody mounts {name}"))?["mountPath"]);
        let folder = below(&stage.root, &path);
        Run::new("chown").quiet().arg(format!("root:{group}")).arg(&folder).done()?;
        Run::new("chmod").quiet().arg("2775").arg(&folder).done()?;
    }
    Ok(())
}

fn put(folder: &Path, name: &str, text: &str, mode: u32, group: &str) -> Outcome {
    let file = folder.join("..data").join(name);
    files::write(&file, text)?;
    let failed = |error: std::io::Error| format!("`{}`: {error}", files::shown(&file));
    std::fs::set_permissions(&file, std::fs::Permissions::from_mode(mode)).map_err(failed)?;
    symlink(Path::new("..data").join(name), folder.join(name)).map_err(failed)?;
    Run::new("chgrp").quiet().arg(group).arg(&file).done()
}

fn config_map(all: &[Value], name: &str) -> Outcome<Vec<(String, String)>> {
    let is_it = |one: &&Value| one["kind"] == "ConfigMap" && one["metadata"]["name"] == name;
    let found = all.iter().find(is_it).ok_or(format!("there is no config map `{name}`"))?;
    let keys = found["data"].as_object().into_iter().flatten();
    Ok(keys.map(|(key, value)| (key.clone(), text(value))).collect())
}

fn value(variable: &Value, secrets: &[Secret]) -> Outcome<String> {
    let wanted = &variable["valueFrom"]["secretKeyRef"];
    if !wanted.is_object() {
        return Ok(text(&variable["value"]));
    }
    let keys = secrets.iter().find(|(name, _)| wanted["name"] == *name).map(|(_, keys)| keys);
    let found = keys.into_iter().flatten().find(|(key, _)| wanted["key"] == *key);
    found.map(|(_, value)| value.clone()).ok_or(format!("there is no secret for {wanted}"))
}

fn list(value: &Value) -> Vec<Value> {
    value.as_array().cloned().unwrap_or_default()
}

fn text(value: &Value) -> String {
    value.as_str().unwrap_or_default().to_owned()
}
