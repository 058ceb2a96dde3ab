//! A child process that is never left behind: it is killed with all its descendants.

use std::fs;
use std::io::{self, BufRead, BufReader};
use std::path::Path;
use std::process::{Child as Process, ChildStdin, Command, ExitStatus, Stdio};
use std::sync::mpsc::{Sender, channel};
use std::sync::{Arc, Mutex};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use rustix::process::{
    Pid, Signal, WaitId, WaitIdOptions, kill_process, kill_process_group, waitid,
};

const KEPT_LINES: usize = 40;

/// How long to read the pipes of a child that has ended.
const READ: Duration = Duration::from_secs(60);

/// A running child. Dropping it kills it and everything in its group.
pub struct Child {
    process: Process,
    name: String,
    stdin: Option<ChildStdin>,
    stderr: Arc<Mutex<Vec<String>>>,
    readers: Vec<JoinHandle<()>>,
    ended: Option<ExitStatus>,
    _keeper: Sender<()>,
}

impl Child {
    /// Starts a command. Holds its standard input open until [`Child::close_stdin`], and passes each line of
    /// its standard output, and `None` at the end, to `on_line` on another thread.
    pub fn start(
        name: &str,
        mut command: Command,
        mut on_line: impl FnMut(Option<String>) + Send + 'static,
    ) -> io::Result<Child> {
        use std::os::unix::process::CommandExt;
        // In its own process group, Ctrl-C in the terminal reaches only us, so that we decide the order
        // of closing; and its descendants can be ended with it.
        command.process_group(0);
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        // The system ends a [`dies_with_us`] command with the thread that started it. A test's thread may
        // end before this value, so a thread that lives as long as the value starts the command.
        let (started, starting) = channel();
        let (keeper, kept) = channel::<()>();
        thread::spawn(move || {
            if started.send(command.spawn()).is_ok() {
                let _ = kept.recv();
            }
        });
        let mut process = starting.recv().map_err(io::Error::other)??;
        let stderr = Arc::new(Mutex::new(Vec::new()));
        let mut readers = Vec::new();
        if let Some(pipe) = process.stdout.take() {
            readers.push(thread::spawn(move || {
                for line in BufReader::new(pipe).lines().map_while(Result::ok) {
                    on_line(Some(line));
                }
                on_line(None);
            }));
        }
        if let Some(pipe) = process.stderr.take() {
            let kept = Arc::clone(&stderr);
            readers.push(thread::spawn(move || {
                for line in BufReader::new(pipe).lines().map_while(Result::ok) {
                    keep(&kept, line);
                }
            }));
        }
        let stdin = process.stdin.take();
        let name = name.to_owned();
        Ok(Child { process, name, stdin, stderr, readers, ended: None, _keeper: keeper })
    }

    pub fn id(&self) -> u32 {
        self.process.id()
    }

    /// Closes its standard input, on which the host programs close their generators and end.
    pub fn close_stdin(&mut self) {
        self.stdin = None;
    }

    /// Sends a signal for an orderly end to the process alone: it has to end its own children.
    pub fn ask_to_end(&mut self, signal: Signal) {
        if self.poll().is_none() {
            // An error means that it has ended already.
            let _ = kill_process(self.pid(), signal);
        }
    }

    /// Kills it (`kill -9`) with all its descendants, and waits until they are gone.
    pub fn kill(&mut self) {
        if self.poll().is_none() {
            // Stopped first, so that it starts no child while they are listed. Not all are in its
            // group: PostgreSQL gives each of its processes its own session.
            let _ = kill_process(self.pid(), Signal::STOP);
            let started = descendants(self.id());
            let _ = kill_process_group(self.pid(), Signal::KILL);
            for process in &started {
                let _ = kill_process(*process, Signal::KILL);
            }
            self.ended = self.process.wait().ok();
            // A remaining process holds memory and ports that the next server needs.
            let deadline = Instant::now() + READ;
            while started.iter().any(|process| runs(*process)) && Instant::now() < deadline {
                thread::sleep(Duration::from_millis(2));
            }
        }
        self.join();
    }

    /// Stops it with all its descendants while `act` runs, as a snapshot of its disk finds them: all at one
    /// moment.
    pub fn frozen<T>(&self, act: impl FnOnce() -> T) -> T {
        let stop = |process: &Pid| {
            let _ = kill_process(*process, Signal::STOP);
            let deadline = Instant::now() + READ;
            while is(*process, |state| !matches!(state, 'T' | 'Z' | 'X'))
                && Instant::now() < deadline
            {
                thread::sleep(Duration::from_millis(1));
            }
        };
        // It starts no child once it has stopped, so the list is complete.
        stop(&self.pid());
        let started = descendants(self.id());
        started.iter().for_each(stop);
        let done = act();
        for process in started.iter().chain([&self.pid()]) {
            let _ = kill_process(*process, Signal::CONT);
        }
        done
    }

    /// The exit status, if it has ended.
    pub fn poll(&mut self) -> Option<ExitStatus> {
        if self.ended.is_none() {
            // Checked before it is reaped: until then no other process can get its id, so the rest
            // of its group can be ended safely.
            let look = WaitIdOptions::EXITED | WaitIdOptions::NOHANG | WaitIdOptions::NOWAIT;
            if let Ok(Some(_)) = waitid(WaitId::Pid(self.pid()), look) {
                let _ = kill_process_group(self.pid(), Signal::KILL);
                self.ended = self.process.wait().ok();
            }
        }
        self.ended
    }

    /// Waits until it is ready, which the closure decides, given the last lines of its standard error;
    /// kills it if it is not in time.
    pub fn wait_until(
        &mut self,
        limit: Duration,
        ready: impl Fn(&str) -> bool,
    ) -> Result<(), String> {
        let deadline = Instant::now() + limit;
        while !ready(&self.stderr()) {
            let ended = self.poll();
            if ended.is_some() || Instant::now() > deadline {
                self.kill();
                let how = ended.map_or_else(
                    || format!("is not ready within {limit:?}"),
                    |status| format!("ended with {status}"),
                );
                return Err(format!("{} {how}\n{}", self.name, self.stderr()));
            }
            thread::sleep(Duration::from_millis(5));
        }
        Ok(())
    }

    /// Waits for its end; kills it if it does not end in time.
    pub fn wait(&mut self, limit: Duration) -> Result<ExitStatus, String> {
        let deadline = Instant::now() + limit;
        loop {
            if let Some(status) = self.poll() {
                self.join();
                return Ok(status);
            }
            if Instant::now() >= deadline {
                self.kill();
                let said = self.stderr();
                let name = &self.name;
                return Err(format!("{name} did not end within {limit:?} and was killed\n{said}"));
            }
            thread::sleep(Duration::from_millis(5));
        }
    }

    pub fn stderr(&self) -> String {
        self.stderr.lock().map(|lines| lines.join("\n")).unwrap_or_default()
    }

    fn pid(&self) -> Pid {
        Pid::from_child(&self.process)
    }

    /// Waits until its output was read, but not for long: a process outside its group may hold the pipes.
    fn join(&mut self) {
        let deadline = Instant::now() + READ;
        for reader in self.readers.drain(..) {
            while !reader.is_finished() && Instant::now() < deadline {
                thread::sleep(Duration::from_millis(1));
            }
            if reader.is_finished() {
                // A reader panics only where a check of the test failed.
                let _ = reader.join();
            }
        }
    }
}

impl Drop for Child {
    fn drop(&mut self) {
        self.stdin = None;
        self.kill();
    }
}

/// Runs a program to its end and gives its output; kills it if it does not end in time.
pub fn said(command: Command, limit: Duration) -> Result<String, String> {
    let name = command.get_program().to_string_lossy().into_owned();
    let text = Arc::new(Mutex::new(String::new()));
    let heard = Arc::clone(&text);
    let child = Child::start(&name, command, move |line| {
        if let (Some(line), Ok(mut text)) = (line, heard.lock()) {
            text.push_str(&line);
            text.push('\n');
        }
    });
    let mut child = child.map_err(|error| format!("`{name}` does not start: {error}"))?;
    child.close_stdin();
    let status = child.wait(limit)?;
    if !status.success() {
        return Err(format!("`{name}` failed: {status}\n{}", child.stderr()));
    }
    Ok(text.lock().map(|text| text.clone()).unwrap_or_default())
}

fn descendants(of: u32) -> Vec<Pid> {
    let ids = fs::read_dir("/proc").into_iter().flatten().flatten();
    let ids = ids.filter_map(|entry| entry.file_name().to_str()?.parse::<u32>().ok());
    let parents: Vec<(u32, u32)> = ids.filter_map(|id| Some((id, parent(id)?))).collect();
    let (mut found, mut at) = (vec![of], 0);
    while let Some(parent) = found.get(at).copied() {
        found.extend(parents.iter().filter(|(_, of)| *of == parent).map(|(id, _)| *id));
        at += 1;
    }
    found.iter().skip(1).filter_map(|id| Pid::from_raw(i32::try_from(*id).ok()?)).collect()
}

/// The parent's id: it follows the process name, which may contain blanks and parentheses.
fn parent(id: u32) -> Option<u32> {
    let stat = fs::read_to_string(format!("/proc/{id}/stat")).ok()?;
    stat.rsplit_once(") ")?.1.split(' ').nth(1)?.parse().ok()
}

/// Whether a process runs, and is not a zombie.
fn runs(process: Pid) -> bool {
    is(process, |state| state != 'Z')
}

/// Whether a process is there, in such a state.
fn is(process: Pid, such: impl Fn(char) -> bool) -> bool {
    let stat = fs::read_to_string(format!("/proc/{}/stat", process.as_raw_nonzero()));
    let state = |stat: String| stat.rsplit_once(") ")?.1.chars().next();
    stat.ok().and_then(state).is_some_and(such)
}

/// A command that the system ends with SIGTERM when its starter has ended in any way: for programs
/// that do not watch their standard input.
pub fn dies_with_us(program: &Path) -> Command {
    let setpriv = Path::new("/usr/bin/setpriv");
    if !setpriv.exists() {
        return Command::new(program);
    }
    let mut command = Command::new(setpriv);
    command.args(["--pdeathsig", "TERM"]).arg(program);
    command
}

fn keep(kept: &Mutex<Vec<String>>, line: String) {
    if let Ok(mut lines) = kept.lock() {
        if lines.len() == KEPT_LINES {
            lines.remove(0);
        }
        lines.push(line);
    }
}

#[cfg(test)]
pub(crate) fn shell(script: &str) -> Command {
    let mut command = Command::new("sh");
    command.args(["-c", script]);
    command
}

#[cfg(test)]
mod tests {
    use std::sync::mpsc::{Receiver, channel};
    use std::time::Duration;

    use super::{Child, said, shell};

    const LIMIT: Duration = Duration::from_secs(120);

    fn started(script: &str) -> (Child, Receiver<Option<String>>) {
        let (send, heard) = channel();
        let child = Child::start("sh", shell(script), move |line| drop(send.send(line)));
        (child.expect("sh starts"), heard)
    }

    #[test]
    fn a_program_that_does_not_end_is_killed() {
        assert_eq!(said(shell("echo a; echo b"), LIMIT).as_deref(), Ok("a\nb\n"));
        let failed = said(shell("echo why >&2; exit 3"), LIMIT).unwrap_err();
        assert!(failed.contains("exit status: 3\nwhy"), "{failed}");
        // Its standard input is at its end, so a read fails at once.
        assert_eq!(said(shell("read x || echo none"), LIMIT).as_deref(), Ok("none\n"));
        let killed = said(shell("while :; do sleep 1; done"), Duration::from_millis(200));
        assert!(killed.unwrap_err().contains("was killed"));
    }

    #[test]
    fn what_a_child_started_goes_with_it() {
        // The child and its own child hold the pipe: it ends when both are gone.
        let other_session = "setsid sh -c 'echo a; while :; do sleep 1; done' & wait";
        for leader in ["sleep 600 & exec sleep 600", "sleep 600 & exit 0", other_session] {
            let (mut child, heard) = started(leader);
            if leader.ends_with("exit 0") {
                child.wait(LIMIT).expect("it ends by itself");
            } else if leader == other_session {
                assert_eq!(heard.recv_timeout(LIMIT), Ok(Some("a".to_owned())));
            }
            drop(child);
            assert_eq!(heard.recv_timeout(LIMIT), Ok(None));
        }
    }
}
