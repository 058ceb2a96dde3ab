//! The unit for systemd: systemd's own word on whether it can be loaded and how much it may do; and,
//! as no systemd runs here, its command as the unit says: the user, the folders, the limits, the
//! filter of system calls, the messages to the service manager and the signals.

use std::collections::BTreeMap;
use std::os::unix::fs::PermissionsExt;
use std::os::unix::net::UnixDatagram;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use super::image::Stage;
use super::root::{Server, below, free_address, in_the_end};
use crate::process::Run;
use crate::{Outcome, files, prerequisites, project};

const UNIT: &str = "deploy/systemd/leafid.service";
const SETTINGS: &str = "deploy/systemd/leafid.toml";
/// What systemd calls the exposure, times ten: below two is its best word.
const MOST_EXPOSED: &str = "20";
/// Becomes the unit's program: Python, which can load the filter after it gave up root.
const BECOME: &str = include_str!("unit.py");
/// Whom `leafid.sysusers` would create.
const USER: &str = "65531";

/// Asks systemd, and runs the command.
pub fn look() -> Outcome<String> {
    prerequisites::need("systemd-analyze", &["--version"], "`sudo apt-get install systemd`")?;
    let exposure = asked()?;
    let unit = Unit::read(&files::read(&project::at(UNIT))?);
    let place = Place::make(unit)?;
    place.run().map_err(|error| format!("the unit's command: {error}"))?;
    Ok(format!(
        "{exposure}; not started by systemd, but its command is run with its user and filter"
    ))
}

fn asked() -> Outcome<String> {
    let unit = project::target().join("release/unit/leafid.service");
    let binary = Stage::binary()?;
    let here =
        files::read(&project::at(UNIT))?.replace("/usr/bin/leafid", &binary.to_string_lossy());
    // Its page is not installed here.
    files::write(&unit, here.replace("Documentation=man:leafid(1) ", "Documentation="))?;
    let said = Run::new("systemd-analyze").quiet().args(["verify"]).arg(&unit).listen()?;
    if !said.success || !said.stderr.trim().is_empty() {
        return Err(format!("systemd-analyze verify: {}{}", said.stdout, said.stderr));
    }
    let security = ["security", "--offline=true", "--threshold", MOST_EXPOSED, "--no-pager"];
    let said = Run::new("systemd-analyze").quiet().args(security).arg(&unit).listen()?;
    let overall = said.stdout.lines().find(|line| line.contains("Overall exposure"));
    let overall = overall.unwrap_or("nothing was said").trim_start_matches(['→', ' ']).to_owned();
    if said.success { Ok(overall) } else { Err(overall) }
}

/// The settings of a unit, each as often as it stands there.
struct Unit(BTreeMap<String, Vec<String>>);

impl Unit {
    fn read(text: &str) -> Unit {
        let mut found = BTreeMap::<String, Vec<String>>::new();
        let lines = text.lines().filter(|line| !line.starts_with(['#', '[']));
        for (key, value) in lines.filter_map(|line| line.split_once('=')) {
            found.entry(key.to_owned()).or_default().push(value.to_owned());
        }
        Unit(found)
    }

    fn one(&self, key: &str) -> Outcome<&str> {
        match self.0.get(key).map(Vec::as_slice) {
            Some([one]) => Ok(one),
            _ => Err(format!("`{UNIT}` has not one `{key}`")),
        }
    }

    fn words(&self, key: &str) -> Outcome<Vec<&str>> {
        Ok(self.one(key)?.split_whitespace().collect())
    }
}

/// A folder that is the unit's root, and where its service manager listens.
struct Place {
    unit: Unit,
    root: PathBuf,
    manager: UnixDatagram,
    address: String,
}

impl Place {
    fn make(unit: Unit) -> Outcome<Place> {
        let root = project::target().join("release/unit/root");
        files::remove_dir(&root)?;
        let program = unit.words("ExecStart")?[0].to_owned();
        files::install(&Stage::binary()?, &below(&root, &program))?;
        files::install(&project::at(SETTINGS), &below(&root, "/etc/leafid/leafid.toml"))?;
        let address = free_address()?;
        // What an operator may put there: another address, as 8750 may be taken here.
        let file = unit.one("EnvironmentFile")?.trim_start_matches('-').to_owned();
        files::write(&below(&root, &file), format!("LEAFID_LISTEN={address}\n"))?;
        for name in unit.words("StateDirectory")? {
            let folder = below(&root, "/var/lib").join(name);
            files::make_dir(&folder)?;
            Run::new("chown").quiet().arg(format!("{USER}:{USER}")).arg(&folder).done()?;
            let mode = unit.one("StateDirectoryMode")?;
            Run::new("chmod").quiet().arg(mode).arg(&folder).done()?;
        }
        let socket = below(&root, "/run/notify");
        files::make_dir(&below(&root, "/run"))?;
        let failed = |error: std::io::Error| format!("`{}`: {error}", socket.display());
        let manager = UnixDatagram::bind(&socket).map_err(failed)?;
        std::fs::set_permissions(&socket, std::fs::Permissions::from_mode(0o777))
            .map_err(failed)?;
        manager.set_read_timeout(Some(Duration::from_secs(30))).map_err(failed)?;
        Ok(Place { unit, root, manager, address })
    }

    /// What `systemctl start`, `reload` and `stop` do.
    fn run(&self) -> Outcome {
        let program = self.unit.words("ExecStart")?[0];
        let begin = [program, "init", "--store", "sqlite:/var/lib/leafid/leafid.db"];
        self.output(&begin)?;
        let mut server = Server::start(self.command(&self.unit.words("ExecStart")?)?)?;
        self.told("READY=1")?;
        self.told("WATCHDOG=1")?;
        let url = format!("http://{}", self.address);
        let health = [program, "health", "--url", &url];
        self.output(&health)?;
        let reload = self.unit.one("ExecReload")?;
        if reload != "/bin/kill -HUP $MAINPID" {
            return Err(format!("`ExecReload={reload}` is unknown here"));
        }
        server.signal("HUP")?;
        in_the_end(|| self.output(&health))?;
        server.stop()?;
        self.told("STOPPING=1")?;
        // What lies there is the unit's user's alone.
        let listed = Run::new("find").quiet().arg(self.root.join("var/lib")).args([
            "-mindepth",
            "2",
            "(",
            "-perm",
            "/077",
            "-o",
            "!",
            "-user",
            USER,
            ")",
        ]);
        let others = listed.output()?;
        if others.is_empty() { Ok(()) } else { Err(format!("others may read\n{others}")) }
    }

    /// Waits for a message to the service manager.
    fn told(&self, wanted: &str) -> Outcome {
        let mut heard = Vec::new();
        let mut buffer = [0; 4096];
        while let Ok(length) = self.manager.recv(&mut buffer) {
            let said = String::from_utf8_lossy(&buffer[..length]).into_owned();
            if said.lines().any(|line| line == wanted) {
                return Ok(());
            }
            heard.push(said);
        }
        Err(format!("the service manager did not hear `{wanted}`, but {heard:?}"))
    }

    fn output(&self, words: &[&str]) -> Outcome<String> {
        let output = self.command(words)?.output().map_err(|error| format!("python3: {error}"))?;
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        if output.status.success() {
            return Ok(text(&output.stdout));
        }
        Err(format!("`{}`: {}{}", words.join(" "), text(&output.stdout), text(&output.stderr)))
    }

    /// These words, as systemd would start them for the unit.
    fn command(&self, words: &[&str]) -> Outcome<Command> {
        let unit = &self.unit;
        let filter = unit.0.get("SystemCallFilter").ok_or("no SystemCallFilter")?.join("\n");
        let mut command = Command::new("python3");
        command.args(["-c", BECOME]).arg(&self.root).args([USER, unit.one("WorkingDirectory")?]);
        command.args([unit.one("UMask")?, unit.one("LimitNOFILE")?, &filter]).args(words);
        command.env_clear().env("PATH", "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin");
        let file = unit.one("EnvironmentFile")?.trim_start_matches('-');
        let variables = files::read(&below(&self.root, file))?;
        command.envs(variables.lines().filter_map(|line| line.split_once('=')));
        let seconds = unit.one("WatchdogSec")?.trim_end_matches('s');
        command.env("WATCHDOG_USEC", format!("{seconds}000000"));
        command.env("NOTIFY_SOCKET", Path::new("/run/notify"));
        Ok(command)
    }
}
