//! The image without an engine: the last stage of the Dockerfile, instruction by instruction, in an
//! empty folder that a program then has for its root. Nothing is in it but what the stage copies, so
//! a library or a file that the store needs and the image lacks is missed here, too.

use std::path::PathBuf;
use std::process::Command;

use super::root::{Server, free_address};
use super::targets;
use crate::process::Run;
use crate::{Outcome, files, project};

const FILE: &str = "deploy/Dockerfile";
/// The port that the image listens on and its health check asks.
const PORT: &str = "8750";
/// What an engine gives a program, unless the image says otherwise.
const PATH: &str = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin";

/// An image's last stage.
pub struct Stage {
    /// The folder that is the root of its programs.
    pub root: PathBuf,
    env: Vec<(String, String)>,
    user: String,
    health: Vec<String>,
    entry: Vec<String>,
    command: Vec<String>,
}

/// Runs the stage as its users do: a store is made, served, asked for its health, used and stopped.
pub fn look() -> Outcome<String> {
    context()?;
    super::programs::python("hadolint")?.arg("--ignore").arg("DL3018").arg(FILE).done()?;
    let stage = Stage::make("image")?;
    let listen = free_address()?;
    stage.run(&["init"], &[])?;
    let mut server = stage.serve(&stage.command, &[("LEAFID_LISTEN", &listen)])?;
    let port = listen.rsplit(':').next().unwrap_or(PORT);
    let health: Vec<String> = stage.health.iter().map(|word| word.replace(PORT, port)).collect();
    let used = stage.in_root(&health).and_then(|healthy| {
        let url = format!("http://{listen}");
        stage.run(&["tag", "create", "orders", "--url", &url], &[])?;
        let ids = stage.run(&["next", "orders", "--count", "3", "--url", &url], &[])?;
        (ids == "1\n2\n3\n").then_some(healthy).ok_or(format!("three IDs are `{ids}`"))
    });
    let ended = server.stop();
    let healthy = used?;
    ended?;
    // Away, it is not healthy.
    if stage.in_root(&health).is_ok() {
        return Err("the health check is content with a store that was stopped".to_owned());
    }
    let size = files::size(&stage.root.join("usr/bin/leafid"))?;
    let user = &stage.user;
    Ok(format!("not built, but run in an empty root as {user}: {}, {size} bytes", healthy.trim()))
}

/// What an engine would be sent has every member of the workspace, and is enough to build the store.
fn context() -> Outcome {
    let folder = project::target().join("release/context");
    files::remove_dir(&folder)?;
    let ignore = files::read(&project::at(".dockerignore"))?;
    let allowed: Vec<_> = ignore.lines().filter_map(|line| line.strip_prefix('!')).collect();
    let tracked = Run::new("git").quiet().args(["ls-files"]).output()?;
    for file in tracked.lines().filter(|file| project::at(file).is_file()) {
        let first = file.split('/').next().unwrap_or(file);
        let is_allowed = |allowed: &str| match allowed.strip_suffix('*') {
            Some(begin) => first.starts_with(begin),
            None => first == allowed,
        };
        if allowed.iter().any(|allowed| is_allowed(allowed)) {
            files::install(&project::at(file), &folder.join(file))?;
        }
    }
    let metadata = ["metadata", "--locked", "--offline", "--no-deps", "--format-version", "1"];
    let said = Run::cargo(&metadata).quiet().dir(&folder).output();
    said.map_err(|error| format!("the image's context is not whole: {error}"))?;
    // The command of the first stage; a debug build reads the same files.
    let text = files::read(&project::at(FILE))?;
    let line = text.lines().find_map(|line| line.strip_prefix("RUN cargo "));
    let line = line.and_then(|line| line.split(" && ").next()).ok_or("no `RUN cargo` there")?;
    let words: Vec<_> = line.split_whitespace().filter(|word| *word != "--release").collect();
    Run::cargo(&words).dir(&folder).done()
}

impl Stage {
    /// Carries out the last stage's instructions in an empty folder.
    pub fn make(name: &str) -> Outcome<Stage> {
        let root = Run::new("id").quiet().arg("-u").output()?.trim() == "0";
        if !root {
            return Err(
                "only root can give a program another root: run this part as root".to_owned()
            );
        }
        let text = files::read(&project::at(FILE))?.replace("\\\n", " ");
        let last = text.rsplit("\nFROM ").next().unwrap_or_default();
        let mut stage = Stage {
            root: project::target().join("release").join(name),
            env: Vec::new(),
            user: String::new(),
            health: Vec::new(),
            entry: Vec::new(),
            command: Vec::new(),
        };
        files::remove_dir(&stage.root)?;
        for line in last.lines().skip(1).map(str::trim).filter(|line| !line.is_empty()) {
            let (instruction, rest) = line.split_once(' ').unwrap_or((line, ""));
            match instruction {
                "COPY" => stage.copy(rest)?,
                "ENV" => stage.env.extend(pairs(rest)),
                "USER" => rest.clone_into(&mut stage.user),
                "HEALTHCHECK" => {
                    stage.health = words(rest.split_once("CMD ").unwrap_or(("", "")).1)?
                }
                "ENTRYPOINT" => stage.entry = words(rest)?,
                "CMD" => stage.command = words(rest)?,
                "LABEL" | "WORKDIR" | "VOLUME" | "EXPOSE" | "STOPSIGNAL" => {}
                other => return Err(format!("`{FILE}` has a `{other}`, which this does not know")),
            }
        }
        Ok(stage)
    }

    /// The binary of this machine's own processor that images are made of.
    pub fn binary() -> Outcome<PathBuf> {
        let arch = targets::own("unknown-linux-musl")?.image_arch();
        let binary = project::dist().join("image").join(arch).join("leafid");
        let cure = "`cargo xtask release --only binaries`";
        if binary.is_file() {
            Ok(binary)
        } else {
            Err(format!("no `{}`: {cure}", files::shown(&binary)))
        }
    }

    fn copy(&self, rest: &str) -> Outcome {
        let (options, paths): (Vec<_>, Vec<_>) =
            rest.split_whitespace().partition(|word| word.starts_with("--"));
        let (to, from) = paths.split_last().ok_or("a COPY without paths")?;
        let to = self.root.join(to.trim_start_matches('/'));
        let stage = options.iter().find_map(|option| option.strip_prefix("--from="));
        match stage {
            None => {
                for file in from {
                    files::install(&project::at(file), &to.join(file))?;
                }
            }
            Some("binary") => files::install(&Stage::binary()?, &to)?,
            // What its RUN makes: folders.
            Some("folders") => {
                let text = files::read(&project::at(FILE))?;
                let made = text.split("mkdir -p ").nth(1).and_then(|rest| rest.split(" &&").next());
                for folder in made.unwrap_or_default().split_whitespace() {
                    let below = folder.trim_start_matches("/out/");
                    files::make_dir(&self.root.join(below))?;
                }
            }
            Some(other) => return Err(format!("`{FILE}` copies from `{other}`: unknown here")),
        }
        match options.iter().find_map(|option| option.strip_prefix("--chown=")) {
            Some(owner) => Run::new("chown").quiet().args(["-R", owner]).arg(&to).done(),
            None => Ok(()),
        }
    }

    /// Runs the entry point with these words.
    pub fn run(&self, more: &[&str], variables: &[(&str, &str)]) -> Outcome<String> {
        let words: Vec<String> =
            self.entry.iter().cloned().chain(more.iter().map(|word| (*word).to_owned())).collect();
        self.child(&words, variables).output()
    }

    fn in_root(&self, words: &[String]) -> Outcome<String> {
        self.child(words, &[]).output()
    }

    fn child(&self, words: &[String], variables: &[(&str, &str)]) -> Run {
        let begin = Run::new("env").quiet().arg("-i");
        let own = self.env.iter().map(|(name, value)| (name.as_str(), value.as_str()));
        let set = own.chain(variables.iter().copied());
        let set = set.map(|(name, value)| format!("{name}={value}"));
        begin.arg(format!("PATH={PATH}")).args(set).args(self.chroot()).args(words)
    }

    fn chroot(&self) -> [String; 3] {
        let root = self.root.display().to_string();
        ["chroot".to_owned(), format!("--userspec={}", self.user), root]
    }

    /// Starts the entry point as a server, and waits until it listens.
    pub fn serve(&self, words: &[String], variables: &[(&str, &str)]) -> Outcome<Server> {
        let mut command = Command::new("chroot");
        command.args(self.chroot().iter().skip(1)).args(&self.entry).args(words).env_clear();
        command.envs(self.env.iter().map(|(name, value)| (name, value)));
        command.envs(variables.iter().copied()).env("PATH", PATH);
        Server::start(command)
    }
}

fn words(json: &str) -> Outcome<Vec<String>> {
    serde_json::from_str(json.trim()).map_err(|error| format!("`{json}` in `{FILE}`: {error}"))
}

fn pairs(rest: &str) -> Vec<(String, String)> {
    let pairs = rest.split_whitespace().filter_map(|pair| pair.split_once('='));
    pairs.map(|(name, value)| (name.to_owned(), value.to_owned())).collect()
}
