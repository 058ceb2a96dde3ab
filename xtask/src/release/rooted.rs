//! Starts the server as each artefact does: in a root folder with the artefact's files alone, so that a
//! missing library is noticed, as the artefact's user, with its arguments and variables. No container engine
//! and no cluster runs here; systemd runs in the workflow.

use std::path::{Path, PathBuf};

use serde_json::Value;

use super::make::fresh;
use super::{python, rehearse, targets};
use crate::process::Run;
use crate::{Outcome, files, project};

/// An artefact's server.
struct Server {
    root: PathBuf,
    /// `NAME=value`: its variables and those of [`TRIAL`]; the last one of a name counts.
    said: Vec<String>,
}

/// Creates a store, serves it, asks for its health, uses and stops it within an engine's ten seconds. `AS` is
/// the user of `PROGRAM`, `INIT` creates the store, `PROBES` are the paths that its supervisor requests.
const TRIAL: &str = r#"
set -eu
leafid="chroot --userspec=$AS $ROOT $PROGRAM"
$leafid $INIT
timeout -k 10 300 $leafid $SERVE & server=$!
trap 'kill -TERM $server' EXIT
until $leafid health --url "$URL"; do kill -0 $server; sleep 0.1; done
$leafid tag create trial --url "$URL"
test "$($leafid next trial --count 3 --url "$URL" | tr '\n' ' ')" = "1 2 3 "
for path in $PROBES; do curl --silent --show-error --fail --max-time 5 "$URL$path"; done
kill -TERM $server
trap - EXIT
wait $server
"#;

/// Tries the servers of all artefacts.
pub fn servers() -> Outcome<String> {
    if Run::new("id").quiet().arg("-u").output()?.trim() != "0" {
        return Err("only root can give a program another root: run this part as root".to_owned());
    }
    context()?;
    for (name, server) in [("image", image()?), ("chart", chart()?)] {
        server.tried().map_err(|error| format!("the server of the {name}: {error}"))?;
    }
    Ok("those of the image and the chart, each in a root of its own".to_owned())
}

/// Checks that the image's build context is enough to build the store.
fn context() -> Outcome {
    let folder = fresh("context")?;
    let listed = |also: &[&str]| Run::new("git").quiet().arg("ls-files").args(also).output();
    let (all, ignored) = (listed(&[])?, listed(&["-ci", "--exclude-from=.dockerignore"])?);
    for file in all.lines().filter(|file| !ignored.lines().any(|ignored| ignored == *file)) {
        files::install(&project::at(file), &folder.join(file))?;
    }
    Run::cargo(&["check", "--locked", "-p", "leafid-server"]).dir(&folder).done()
}

fn image() -> Outcome<Server> {
    let text = files::read(&project::at("deploy/Dockerfile"))?.replace("\\\n", " ");
    let last = text.rsplit("\nFROM ").next().unwrap_or_default();
    let said = |word: &str| {
        let line = last.lines().find_map(|line| line.trim().strip_prefix(word));
        line.map(str::trim).ok_or(format!("no `{word}` in the Dockerfile's last stage"))
    };
    let words = |word: &str| -> Outcome<Vec<String>> {
        serde_json::from_str(said(word)?).map_err(|error| format!("`{word}`: {error}"))
    };
    let (root, user) = (fresh("root-image")?, said("USER")?);
    let (owner, group) = user.split_once(':').ok_or("no group in the Dockerfile's `USER`")?;
    for folder in words("VOLUME")? {
        owned(&root, &folder, [owner, group, "755"])?;
    }
    let (program, serve) = (words("ENTRYPOINT")?.concat(), words("CMD")?.join(" "));
    files::install(&targets::image(std::env::consts::ARCH), &below(&root, &program))?;
    let trial = [("AS", user), ("PROGRAM", &program), ("INIT", "init"), ("SERVE", &serve)];
    let trial = trial.map(|(name, value)| format!("{name}={value}"));
    let own = said("ENV")?.split_whitespace().map(str::to_owned);
    Ok(Server { root, said: own.chain(trial).collect() })
}

/// The pod of the chart's sample that uses a file, over the image.
fn chart() -> Outcome<Server> {
    let Server { root, mut said } = image()?;
    let yaml = rehearse::render(&project::at("deploy/helm/leafid/ci/sqlite-values.yaml"))?;
    let program = "import json, sys, yaml; print(json.dumps([*yaml.safe_load_all(sys.argv[1])]))";
    let json = python("python")?.quiet().args(["-c", program, &yaml]).output()?;
    let all: Value = serde_json::from_str(&json).map_err(|error| format!("helm: {error}"))?;
    let kind = |kind: &str| list(&all).find(|one| one["kind"] == kind).unwrap_or(&Value::Null);
    let pod = &kind("StatefulSet")["spec"]["template"]["spec"];
    let (container, owner) = (&pod["containers"][0], &pod["securityContext"]);
    for one in list(&container["env"]) {
        said.push(format!("{}={}", text(&one["name"]), text(&one["value"])));
    }
    let serve: Vec<_> = list(&container["args"]).map(text).collect();
    let probes = ["startupProbe", "readinessProbe", "livenessProbe"];
    let probes = probes.map(|probe| text(&container[probe]["httpGet"]["path"]));
    said.push(format!("AS={}:{}", owner["runAsUser"], owner["fsGroup"]));
    said.push(format!("SERVE={}", serve.join(" ")));
    said.push(format!("PROBES={}", probes.join(" ")));
    // The server itself creates the store.
    said.push("INIT=--version".to_owned());
    for mount in list(&container["volumeMounts"]) {
        let path = text(&mount["mountPath"]);
        if mount["name"] != "config" {
            // As a kubelet sets a claimed volume: to root, and the pod's group.
            owned(&root, path, ["0", &owner["fsGroup"].to_string(), "2775"])?;
            continue;
        }
        for (name, value) in kind("ConfigMap")["data"].as_object().into_iter().flatten() {
            files::write(&below(&root, path).join(name), text(value))?;
        }
    }
    Ok(Server { root, said })
}

impl Server {
    fn tried(self) -> Outcome {
        let bound = std::net::TcpListener::bind("127.0.0.1:0").and_then(|bound| bound.local_addr());
        let address = bound.map_err(|error| error.to_string())?;
        // Passes nothing of this environment on.
        let run = Run::new("env").quiet().args(["-i", "PROBES="]).args(self.said);
        run.arg("PATH=/usr/sbin:/usr/bin:/sbin:/bin")
            .arg(format!("ROOT={}", self.root.display()))
            .args([format!("LEAFID_LISTEN={address}"), format!("URL=http://{address}")])
            .args(["sh", "-c", TRIAL])
            .done()
    }
}

fn below(root: &Path, path: &str) -> PathBuf {
    root.join(path.trim_start_matches('/'))
}

/// Makes a folder in the root that belongs to a user and a group.
fn owned(root: &Path, path: &str, [user, group, mode]: [&str; 3]) -> Outcome {
    let run = Run::new("install").quiet().args(["-d", "-o", user, "-g", group, "-m", mode]);
    run.arg(below(root, path)).done()
}

fn list(value: &Value) -> impl Iterator<Item = &Value> {
    value.as_array().into_iter().flatten()
}

fn text(value: &Value) -> &str {
    value.as_str().unwrap_or_default()
}
