//! A server's processes: started where they end with the test, and ended by their ids.

use std::fs::{self, File};
use std::io::{Read, Seek};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::mpsc::{Sender, channel};
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, kill_process};

/// How long a server may take to answer, and to end.
pub const LIMIT: Duration = Duration::from_secs(240);
/// How long any other program may take: to install a database is much work for a busy machine.
const PROGRAM: Duration = Duration::from_secs(600);

/// A running program, and where it writes what it has to say.
pub struct Process {
    child: Child,
    log: PathBuf,
    /// The thread that started it ends with this.
    _keeper: Sender<()>,
}

impl Process {
    /// Starts a program that writes to `log`, and ends with this process, however that ends.
    pub fn start(mut command: Command, log: &Path) -> Result<Process, String> {
        use std::os::unix::process::CommandExt;
        let name = command.get_program().to_string_lossy().into_owned();
        let cannot = |error: std::io::Error| format!("`{name}` does not start: {error}");
        let file = File::options().create(true).append(true).open(log).map_err(cannot)?;
        command.stdin(Stdio::null()).stdout(file.try_clone().map_err(cannot)?).stderr(file);
        // Ctrl-C in the terminal reaches only the test, which decides what ends when.
        command.process_group(0);
        // The system ends a child when the thread that started it is gone, which is earlier than
        // the test's value where another test uses it: this thread is gone with the value.
        let (started, starting) = channel();
        let (keeper, kept) = channel::<()>();
        std::thread::spawn(move || {
            if started.send(command.spawn()).is_ok() {
                let _ = kept.recv();
            }
        });
        let child = starting.recv().map_err(|_| format!("`{name}` does not start"))?;
        Ok(Process { child: child.map_err(cannot)?, log: log.to_owned(), _keeper: keeper })
    }

    /// Looks again and again until it answers.
    pub fn wait_until(&mut self, answers: impl Fn() -> bool) -> Result<(), String> {
        let deadline = Instant::now() + LIMIT;
        while !answers() {
            if let Ok(Some(status)) = self.child.try_wait() {
                return Err(format!("it ended with {status}\n{}", self.said()));
            }
            if Instant::now() > deadline {
                return Err(format!("it does not answer within {LIMIT:?}\n{}", self.said()));
            }
            std::thread::sleep(Duration::from_millis(10));
        }
        Ok(())
    }

    /// Asks it to end by a signal, and waits until it has.
    pub fn end(&mut self, signal: Signal) -> Result<ExitStatus, String> {
        let _ = kill_process(self.pid(), signal);
        let deadline = Instant::now() + LIMIT;
        loop {
            match self.child.try_wait() {
                Ok(Some(status)) => return Ok(status),
                Ok(None) if Instant::now() < deadline => {}
                _ => {
                    self.kill();
                    return Err(format!("it does not end, and was killed\n{}", self.said()));
                }
            }
            std::thread::sleep(Duration::from_millis(5));
        }
    }

    /// `kill -9`, of it and of all that it started.
    pub fn kill(&mut self) {
        if let Ok(Some(_)) = self.child.try_wait() {
            return;
        }
        let children = kill_all(&mut self.child);
        // Nobody waits for them any more; and as long as one is there, it holds memory that the
        // next server finds in use.
        let deadline = Instant::now() + LIMIT;
        while children.iter().any(|child| runs(*child)) && Instant::now() < deadline {
            std::thread::sleep(Duration::from_millis(2));
        }
    }

    pub fn said(&self) -> String {
        let text = fs::read(&self.log).unwrap_or_default();
        let text = String::from_utf8_lossy(&text);
        let lines: Vec<_> = text.lines().collect();
        lines.get(lines.len().saturating_sub(40)..).unwrap_or(&lines).join("\n")
    }

    fn pid(&self) -> Pid {
        Pid::from_child(&self.child)
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        self.kill();
    }
}

/// `kill -9` of a child and of all that it started, which may be there for a moment yet.
fn kill_all(child: &mut Child) -> Vec<Pid> {
    let pid = Pid::from_child(child);
    // Stopped first: it cannot start another while its children are looked for. They are not in its
    // group: PostgreSQL gives each of its processes a session of its own.
    let _ = kill_process(pid, Signal::STOP);
    let children = descendants(child.id());
    let _ = kill_process(pid, Signal::KILL);
    for child in &children {
        let _ = kill_process(*child, Signal::KILL);
    }
    let _ = child.wait();
    children
}

/// Whatever was started by a process, and by those.
fn descendants(of: u32) -> Vec<Pid> {
    let parents: Vec<(u32, u32)> = fs::read_dir("/proc")
        .into_iter()
        .flatten()
        .filter_map(|entry| entry.ok()?.file_name().to_str()?.parse().ok())
        .filter_map(|id: u32| Some((id, parent(id)?)))
        .collect();
    let (mut found, mut at) = (vec![of], 0);
    while let Some(parent) = found.get(at).copied() {
        found.extend(parents.iter().filter(|(_, of)| *of == parent).map(|(id, _)| *id));
        at += 1;
    }
    found.iter().skip(1).filter_map(|id| Pid::from_raw(i32::try_from(*id).ok()?)).collect()
}

/// Whether a process is there, and not only its end that nobody has heard of.
fn runs(process: Pid) -> bool {
    let stat = fs::read_to_string(format!("/proc/{}/stat", process.as_raw_nonzero()));
    stat.is_ok_and(|stat| !stat.contains(") Z"))
}

/// Who started a process: after its name, which may have blanks and parentheses.
fn parent(id: u32) -> Option<u32> {
    let stat = fs::read_to_string(format!("/proc/{id}/stat")).ok()?;
    stat.rsplit_once(") ")?.1.split(' ').nth(1)?.parse().ok()
}

/// A command that ends with the thread that starts it, where the system can do that; as `nobody`
/// where the program refuses to run as root and we are root.
pub fn command(program: &Path, as_nobody: bool) -> Command {
    let setpriv = Path::new("/usr/bin/setpriv");
    if !setpriv.exists() {
        return Command::new(program);
    }
    let mut command = Command::new(setpriv);
    command.args(["--pdeathsig", "KILL"]);
    if as_nobody && is_root() {
        let (user, group) = (format!("--reuid={NOBODY}"), format!("--regid={NOBODY}"));
        command.args([&user, &group, "--clear-groups"]);
    }
    command.arg(program);
    command
}

pub const NOBODY: u32 = 65_534;

pub fn is_root() -> bool {
    rustix::process::geteuid().is_root()
}

/// Runs a program to its end; gives what it wrote.
pub fn run(command: Command) -> Result<String, String> {
    run_within(PROGRAM, command)
}

fn run_within(limit: Duration, mut command: Command) -> Result<String, String> {
    let name = format!("{command:?}");
    let cannot = |error: std::io::Error| format!("{name} does not start: {error}");
    // In files: a pipe would have to be read meanwhile, and may be held by what outlives the program.
    let [out, err] = [tempfile::tempfile(), tempfile::tempfile()];
    let [mut out, mut err] = [out.map_err(cannot)?, err.map_err(cannot)?];
    let pipes = [out.try_clone().map_err(cannot)?, err.try_clone().map_err(cannot)?];
    let [to_out, to_err] = pipes;
    let child = command.stdin(Stdio::null()).stdout(to_out).stderr(to_err).spawn();
    let mut child = child.map_err(cannot)?;
    let deadline = Instant::now() + limit;
    let ended = loop {
        match child.try_wait() {
            Ok(Some(status)) => break Some(status),
            Ok(None) if Instant::now() < deadline => {}
            _ => {
                kill_all(&mut child);
                break None;
            }
        }
        std::thread::sleep(Duration::from_millis(2));
    };
    let (out, err) = (written(&mut out), written(&mut err));
    match ended {
        Some(status) if status.success() => Ok(out.trim_end().to_owned()),
        Some(status) => Err(format!("{name} failed: {status}\n{out}\n{err}")),
        None => Err(format!("{name} did not end within {limit:?}, and was killed\n{out}\n{err}")),
    }
}

fn written(file: &mut File) -> String {
    let mut bytes = Vec::new();
    let _ = file.rewind().and_then(|()| file.read_to_end(&mut bytes));
    String::from_utf8_lossy(&bytes).into_owned()
}

/// The first folder that has a program.
pub fn find(program: &str, folders: &[&str]) -> Option<PathBuf> {
    let path = std::env::var_os("PATH").unwrap_or_default();
    let folders = folders.iter().map(PathBuf::from);
    let mut all = folders.chain(std::env::split_paths(&path)).map(|folder| folder.join(program));
    all.find(|file| file.is_file())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_program_that_does_not_end_is_killed_and_its_words_are_told() {
        let shell = |script: &str| {
            let mut command = Command::new("/bin/sh");
            command.args(["-c", script]);
            command
        };
        assert_eq!(run(shell("echo a; echo b >&2")).as_deref(), Ok("a"));
        let failed = run(shell("echo a; echo b >&2; exit 3")).unwrap_err();
        assert!(failed.contains("exit status: 3\na\n\nb"), "{failed}");
        // It ends with what it started.
        let script = "sleep 600 & echo $!; while :; do sleep 1; done";
        // However long this machine takes until it says something.
        let told = [1, 10, 60].into_iter().find_map(|seconds| {
            let killed = run_within(Duration::from_secs(seconds), shell(script)).unwrap_err();
            let (_, said) = killed.split_once("was killed\n").expect("it was killed");
            said.trim().parse().ok()
        });
        let sleeper = told.and_then(Pid::from_raw).expect("an id");
        let begun = Instant::now();
        while runs(sleeper) && begun.elapsed() < LIMIT {
            std::thread::sleep(Duration::from_millis(5));
        }
        assert!(!runs(sleeper), "it goes on");
    }

    /// A shell that starts another in a session of its own, as PostgreSQL does.
    #[test]
    fn nothing_is_left_of_what_was_killed() {
        let folder = tempfile::tempdir().unwrap();
        let mut command = command(Path::new("/bin/sh"), false);
        command.args(["-c", "setsid sh -c 'echo $$; while :; do sleep 1; done' & wait"]);
        let log = folder.path().join("log");
        let mut process = Process::start(command, &log).unwrap();
        let inner = || fs::read_to_string(&log).ok()?.trim().parse::<u32>().ok();
        process.wait_until(|| inner().is_some()).unwrap();
        let inner = inner().unwrap();
        let inner = Pid::from_raw(inner as i32).unwrap();
        assert!(runs(inner));
        drop(process);
        assert!(!runs(inner), "it goes on");
    }
}
