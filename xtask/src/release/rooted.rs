//! The server as each artefact starts it: in a folder that is its root and has what the artefact brings and
//! nothing else, so a library that is missing is missed here, too; as the artefact's user, with its
//! arguments and variables. No engine, cluster or systemd runs here.

use std::path::{Path, PathBuf};

use serde_json::Value;

use super::make::fresh;
use super::{python, rehearse, targets};
use crate::process::Run;
use crate::{Outcome, files, project};

/// What an artefact says of its server.
#[derive(Default)]
struct Server {
    root: PathBuf,
    user: String,
    /// `NAME=value`.
    env: Vec<String>,
    program: String,
    /// What makes the store; nothing where the server does.
    init: String,
    serve: String,
    /// The paths that its supervisor asks for.
    probes: Vec<String>,
    /// The unit's filter of system calls.
    filter: String,
}

/// A store is made, served, asked for its health, used and stopped.
const TRIAL: &str = r#"
set -eu
leafid="python3 rooted.py $ROOT $AS $PROGRAM"
$leafid $INIT
$leafid $SERVE & server=$!
trap 'kill -KILL $server' EXIT
until $leafid health --url "$URL"; do kill -0 $server; sleep 0.1; done
$leafid tag create trial --url "$URL"
test "$($leafid next trial --count 3 --url "$URL" | tr '\n' ' ')" = "1 2 3 "
for path in $PROBES; do curl --silent --show-error --fail --max-time 5 "$URL$path"; done
kill -TERM $server
trap - EXIT
wait $server
"#;

/// All of them.
pub fn servers() -> Outcome<String> {
    if Run::new("id").quiet().arg("-u").output()?.trim() != "0" {
        return Err("only root can give a program another root: run this part as root".to_owned());
    }
    context()?;
    for (name, server) in [("image", image()?), ("chart", chart()?), ("unit", unit()?)] {
        server.tried().map_err(|error| format!("the server of the {name}: {error}"))?;
    }
    Ok("those of the image, the chart and the unit, each in a root of its own".to_owned())
}

/// What an engine would be sent to compile in is enough to build the store.
fn context() -> Outcome {
    let folder = fresh("context")?;
    let ignore = files::read(&project::at(".dockerignore"))?;
    let allowed = ignore.lines().filter_map(|line| line.strip_prefix('!'));
    let names = Run::new("git").quiet().args(["ls-files", "--"]).args(allowed).output()?;
    for file in names.lines().filter(|file| project::at(file).is_file()) {
        files::install(&project::at(file), &folder.join(file))?;
    }
    Run::cargo(&["check", "--locked", "-p", "leafid-server"]).dir(&folder).done()
}

/// The last stage of the Dockerfile.
fn image() -> Outcome<Server> {
    let text = files::read(&project::at("deploy/Dockerfile"))?.replace("\\\n", " ");
    let last = text.rsplit("\nFROM ").next().unwrap_or_default();
    let said = |word: &str| {
        let line = last.lines().find_map(|line| line.trim().strip_prefix(word));
        line.map(str::trim).ok_or(format!("no `{word}` in the Dockerfile's last stage"))
    };
    let words = |json: &str| -> Outcome<Vec<String>> {
        serde_json::from_str(json).map_err(|error| format!("`{json}`: {error}"))
    };
    let (root, user) = (fresh("root-image")?, said("USER")?);
    for folder in words(said("VOLUME")?)? {
        owned(&root, &folder, user, "755")?;
    }
    let program = words(said("ENTRYPOINT")?)?.concat();
    let own = targets::ALL.iter().find(|target| target.has_binary && target.is_own());
    let arch = own.ok_or("no image is made for this processor")?.image_arch();
    let binary = project::dist().join("image").join(arch).join("leafid");
    files::install(&binary, &below(&root, &program))?;
    Ok(Server {
        root,
        user: user.split(':').next().unwrap_or_default().to_owned(),
        env: said("ENV")?.split_whitespace().map(str::to_owned).collect(),
        program,
        init: "init".to_owned(),
        serve: words(said("CMD")?)?.join(" "),
        ..Server::default()
    })
}

/// The pod of the chart's sample with a file, over the image.
fn chart() -> Outcome<Server> {
    let mut server = image()?;
    let yaml = rehearse::render(&project::at("deploy/helm/leafid/ci/sqlite-values.yaml"))?;
    let program = "import json, sys, yaml; print(json.dumps([*yaml.safe_load_all(sys.argv[1])]))";
    let said = python("python")?.quiet().args(["-c", program, &yaml]).output()?;
    let all: Value = serde_json::from_str(&said).map_err(|error| format!("helm: {error}"))?;
    let kind = |kind: &str| list(&all).find(|one| one["kind"] == kind).unwrap_or(&Value::Null);
    let pod = &kind("StatefulSet")["spec"]["template"]["spec"];
    let container = &pod["containers"][0];
    server.user = pod["securityContext"]["runAsUser"].to_string();
    server.serve = list(&container["args"]).map(text).collect::<Vec<_>>().join(" ");
    server.init = "version".to_owned();
    let env = list(&container["env"]);
    server.env.extend(env.map(|one| format!("{}={}", text(&one["name"]), text(&one["value"]))));
    let probes = ["startupProbe", "readinessProbe", "livenessProbe"];
    server.probes =
        probes.map(|probe| text(&container[probe]["httpGet"]["path"]).to_owned()).into();
    for mount in list(&container["volumeMounts"]) {
        let path = text(&mount["mountPath"]);
        if mount["name"] != "config" {
            // As a kubelet gives a claimed volume: to root, and the pod's group.
            owned(&server.root, path, &format!("0:{}", pod["securityContext"]["fsGroup"]), "2775")?;
            continue;
        }
        for (name, value) in kind("ConfigMap")["data"].as_object().into_iter().flatten() {
            files::write(&below(&server.root, path).join(name), text(value))?;
        }
    }
    Ok(server)
}

/// The unit of systemd, over the image's binary.
fn unit() -> Outcome<Server> {
    let read = |name: &str| files::read(&project::at("deploy/systemd").join(name));
    let unit = read("leafid.service")?;
    let said = |key: &str| {
        let lines = unit.lines().filter_map(|line| line.strip_prefix(key));
        lines.collect::<Vec<_>>().join("\n")
    };
    let (binary, root, user) =
        (below(&image()?.root, "/usr/bin/leafid"), fresh("root-unit")?, "65531");
    let start = said("ExecStart=");
    let (program, serve) = start.split_once(' ').ok_or("no `ExecStart` in the unit")?;
    files::install(&binary, &below(&root, program))?;
    files::write(&root.join("etc/leafid/leafid.toml"), read("leafid.toml")?)?;
    for name in said("StateDirectory=").split_whitespace() {
        owned(&root, &format!("/var/lib/{name}"), user, &said("StateDirectoryMode="))?;
    }
    Ok(Server {
        root,
        user: user.to_owned(),
        program: program.to_owned(),
        init: "init sqlite:/var/lib/leafid/leafid.db".to_owned(),
        serve: serve.to_owned(),
        filter: said("SystemCallFilter="),
        ..Server::default()
    })
}

impl Server {
    fn tried(self) -> Outcome {
        let bound = std::net::TcpListener::bind("127.0.0.1:0").and_then(|bound| bound.local_addr());
        let address = bound.map_err(|error| error.to_string())?;
        let folder = fresh("trial")?;
        files::write(&folder.join("rooted.py"), include_str!("rooted.py"))?;
        // Nothing of this environment reaches it.
        let run = Run::new("env").quiet().arg("-i").args(&self.env).args([
            "PATH=/usr/sbin:/usr/bin:/sbin:/bin",
            &format!("LEAFID_LISTEN={address}"),
            &format!("URL=http://{address}"),
            &format!("ROOT={}", self.root.display()),
            &format!("AS={}", self.user),
            &format!("PROGRAM={}", self.program),
            &format!("INIT={}", self.init),
            &format!("SERVE={}", self.serve),
            &format!("PROBES={}", self.probes.join(" ")),
            &format!("FILTER={}", self.filter),
        ]);
        run.args(["sh", "-c", TRIAL]).dir(&folder).done()
    }
}

fn below(root: &Path, path: &str) -> PathBuf {
    root.join(path.trim_start_matches('/'))
}

/// A folder of the root that belongs to a user.
fn owned(root: &Path, path: &str, user: &str, mode: &str) -> Outcome {
    let folder = below(root, path);
    files::make_dir(&folder)?;
    Run::new("chown").quiet().arg(user).arg(&folder).done()?;
    Run::new("chmod").quiet().arg(mode).arg(&folder).done()
}

fn list(value: &Value) -> impl Iterator<Item = &Value> {
    value.as_array().into_iter().flatten()
}

fn text(value: &Value) -> &str {
    value.as_str().unwrap_or_default()
}
