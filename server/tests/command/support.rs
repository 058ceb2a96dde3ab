//! Runs the command `leafid` and reads its output. A failing test leaves no process behind, and every
//! wait has a time limit.

use std::fs::Permissions;
use std::io::{BufReader, Write};
use std::net::TcpStream;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStderr, Command, ExitStatus, Output, Stdio};
use std::sync::LazyLock;
use std::time::{Duration, Instant, SystemTime};

use serde_json::Value;

#[expect(dead_code, reason = "other tests use more of it")]
#[path = "../http/answer.rs"]
mod answer;
#[path = "heard.rs"]
mod heard;
#[path = "said.rs"]
mod said;

pub use answer::*;
pub use said::*;

use heard::Heard;

pub const LIMIT: Duration = Duration::from_secs(120);

pub const REQUEST: &str = "0123456789abcdef0123456789abcdef";

pub const LEAFID: &str = env!("CARGO_BIN_EXE_leafid");

pub struct Serving {
    child: Child,
    home: Option<Home>,
    pub url: String,
    pub first: String,
    out: Heard,
    log: Heard,
}

pub struct Home {
    folder: tempfile::TempDir,
    /// The path of the store's file; [`Home::new`] does not create it.
    pub store: String,
}

impl Home {
    pub fn new() -> Home {
        let folder = tempfile::tempdir().expect("a folder");
        let store = folder.path().join("store.db").display().to_string();
        Home { folder, store }
    }

    pub fn with_store() -> Home {
        let home = Home::new();
        says(&home.store, &["init"]);
        home
    }

    pub fn path(&self) -> &Path {
        self.folder.path()
    }

    pub fn at(&self, name: &str) -> String {
        self.path().join(name).display().to_string()
    }

    pub fn write(&self, name: &str, text: &str) -> String {
        std::fs::write(self.at(name), text).expect("a file");
        self.at(name)
    }

    pub fn files(&self) -> usize {
        std::fs::read_dir(self.path()).expect("a folder").count()
    }

    /// `leafid serve --create` on the store, with these options.
    pub fn command(&self, options: &[&str]) -> Command {
        serve(&self.store, &[&["--create"], options].concat())
    }

    pub fn serve(&self, options: &[&str]) -> Serving {
        Serving::spawn(&mut self.command(options))
    }

    /// A server for which a write beyond its file size limit is an error, not a fatal signal; and a function
    /// that sets that limit in bytes: with 1 every write fails, as on a full disk.
    #[cfg(target_os = "linux")]
    pub fn serve_on_a_small_disk(&self) -> (Serving, impl Fn(Option<u64>) + use<>) {
        use rustix::process::{Pid, Resource, Rlimit, prlimit};

        let script = "trap '' XFSZ; exec \"$0\" serve --create --listen 127.0.0.1:0 --store \"$1\"";
        let serving = Serving::spawn(Command::new("sh").args(["-c", script, LEAFID, &self.store]));
        let pid = Pid::from_raw(serving.id() as i32);
        let room = move |current| {
            let limits = Rlimit { current, maximum: None };
            prlimit(pid, Resource::Fsize, limits).expect("the limit of a child of ours can be set");
        };
        (serving, room)
    }
}

impl Serving {
    pub fn fresh() -> Serving {
        let home = Home::new();
        let mut serving = home.serve(&[]);
        serving.home = Some(home);
        serving
    }

    pub fn of(store: &str, options: &[&str]) -> Serving {
        Serving::spawn(&mut serve(store, options))
    }

    pub fn spawn(command: &mut Command) -> Serving {
        let mut child = started(command);
        let log = Heard::of(child.stderr.take());
        Serving::over(child, log)
    }

    /// As [`Serving::spawn`], but the log is not read.
    pub fn unheard(command: &mut Command) -> (Serving, ChildStderr) {
        let mut child = started(command);
        let pipe = child.stderr.take().expect("a pipe");
        (Serving::over(child, Heard::of(Some(std::io::empty()))), pipe)
    }

    pub fn hear(&mut self, pipe: ChildStderr) {
        self.log = Heard::of(Some(pipe));
    }

    fn over(mut child: Child, log: Heard) -> Serving {
        let out = Heard::of(child.stdout.take());
        // Made before the asserts below: dropping this value ends the process.
        let mut serving =
            Serving { child, home: None, url: String::new(), first: String::new(), out, log };
        let told = until(|| {
            let (over, said) = (serving.out.is_over(), serving.out.text());
            let at = said.find(TOLD).filter(|at| said[*at..].contains('\n'));
            (over || at.is_some()).then(|| at.map(|at| (at, said)))
        });
        let Some((at, said)) = told.flatten() else {
            serving.kill();
            panic!("leafid does not listen: {}{}", serving.out.text(), serving.log.text());
        };
        let line = said[at..].lines().next().unwrap_or_default();
        serving.url = line[TOLD.len()..].trim_end().to_owned();
        serving.first = said[..at + line.len() + 1].to_owned();
        serving
    }

    pub fn id(&self) -> u32 {
        self.child.id()
    }

    /// Kills the server (`kill -9`) and waits until it is gone, so that it cannot block the next one. Its
    /// log is complete then.
    pub fn kill(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
        self.out.to_the_end();
        self.log.to_the_end();
    }

    pub fn log(&self) -> String {
        self.log.text()
    }

    pub fn logs(&self, words: &[&str]) -> String {
        let found = until(|| {
            let log = self.log();
            // The last line may be incomplete.
            let mut lines = log.split_inclusive('\n').filter(|line| line.ends_with('\n'));
            let line = lines.find(|line| words.iter().all(|word| line.contains(word)));
            line.map(|line| line.trim_end().to_owned())
        });
        found.unwrap_or_else(|| panic!("no line with {words:?} in\n{}", self.log()))
    }

    pub fn get(&self, path: &str) -> (u16, Value) {
        call(&self.url, "GET", path, &Value::Null)
    }

    pub fn post(&self, path: &str, body: &Value) -> (u16, Value) {
        call(&self.url, "POST", path, body)
    }

    /// Leases from a tag, with the same request id every time and these additional fields.
    pub fn lease(&self, tag: &str, more: &Value) -> (u16, Value) {
        let mut ask = more.clone();
        ask["request"] = REQUEST.into();
        self.post(&format!("/v1/segments/{tag}/lease"), &ask)
    }

    /// As [`Serving::post`], but repeats the request as a client does.
    pub fn patient(&self, path: &str, body: &Value) -> (u16, Value) {
        patient(&self.url, "POST", path, body)
    }

    /// Waits until `/readyz` answers with this status and a body that contains all these words.
    pub fn ready(&self, status: u16, words: &[&str]) -> Value {
        let mut last = None;
        let found = until(|| {
            let (answered, body) = self.get("/readyz");
            let text = body.to_string();
            last = Some((answered, text.clone()));
            (answered == status && words.iter().all(|word| text.contains(word))).then_some(body)
        });
        found.unwrap_or_else(|| panic!("no {status} with {words:?}, but {last:?}"))
    }

    /// Ends the server by a signal; gives its exit code and last output. Its log is complete then.
    pub fn end(&mut self, signal: &str) -> (Option<i32>, String) {
        send(self.child.id(), signal);
        let ended = ends(&mut self.child);
        self.out.to_the_end();
        self.log.to_the_end();
        let Some(status) = ended else {
            panic!("it does not end within {LIMIT:?} of {signal}\n{}", self.log());
        };
        (status.code(), self.out.text().split_off(self.first.len()))
    }
}

impl Drop for Serving {
    /// Ends the server as an operator does; one that does not end soon, or after a failed test, is killed.
    fn drop(&mut self) {
        const SOON: Duration = Duration::from_secs(10);
        let runs = |child: &mut Child| matches!(child.try_wait(), Ok(None));
        if !std::thread::panicking() && runs(&mut self.child) {
            send(self.child.id(), "-TERM");
            let begun = Instant::now();
            while runs(&mut self.child) && begun.elapsed() < SOON {
                std::thread::sleep(Duration::from_millis(5));
            }
        }
        let _ = self.child.kill();
        let _ = self.child.wait();
        drop(self.home.take());
    }
}

pub fn serve(store: &str, options: &[&str]) -> Command {
    let mut command = Command::new(LEAFID);
    command.args(["serve", "--listen", "127.0.0.1:0", "--store", store]).args(options);
    command
}

const TOLD: &str = "leafid: listening on ";

/// Sends a signal to a process by the shell's `kill`: a program of that name may not be installed.
pub fn send(id: u32, signal: &str) {
    let line = format!("kill {signal} {id}");
    assert!(output(Command::new("sh").args(["-c", &line])).status.success());
}

/// A file's rights.
pub fn mode(path: impl AsRef<Path>) -> u32 {
    std::fs::metadata(path).expect("a file").permissions().mode() & 0o777
}

pub fn set_mode(path: impl AsRef<Path>, mode: u32) {
    std::fs::set_permissions(path, Permissions::from_mode(mode)).expect("a file of ours");
}

/// Keeps journals in a folder of this test run, unless the test sets one.
fn at_home(command: &mut Command) {
    static STATE: LazyLock<PathBuf> = LazyLock::new(|| {
        let tests = concat!(env!("CARGO_CRATE_NAME"), "-state");
        let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(tests);
        let _ = std::fs::remove_dir_all(&folder);
        folder
    });
    if !command.get_envs().any(|(name, _)| name == "XDG_STATE_HOME") {
        command.env("XDG_STATE_HOME", &*STATE);
    }
}

fn ends(child: &mut Child) -> Option<ExitStatus> {
    let ended = until(|| child.try_wait().expect("a child of ours"));
    if ended.is_none() {
        let _ = child.kill();
        let _ = child.wait();
    }
    ended
}

/// Runs a command to its end, as [`Command::output`] does.
///
/// # Panics
/// The command does not start, or does not end in time and is killed.
pub fn output(command: &mut Command) -> Output {
    try_output(command).unwrap_or_else(|error| panic!("{command:?} does not start: {error}"))
}

/// As [`output`], for a command that may not start at all.
pub fn try_output(command: &mut Command) -> std::io::Result<Output> {
    let (output, ended) = run(command.stdout(Stdio::piped()))?;
    assert!(ended, "{command:?} does not end within {LIMIT:?}: {output:?}");
    Ok(output)
}

/// Runs a command until it ends or is killed; gives its output and whether it ended by itself. Its standard
/// output goes where the caller directed it.
pub fn run(command: &mut Command) -> std::io::Result<(Output, bool)> {
    at_home(command);
    let mut child = command.stdin(Stdio::null()).stderr(Stdio::piped()).spawn()?;
    let out = child.stdout.take().map(|out| Heard::of(Some(out)));
    let err = Heard::of(child.stderr.take());
    let ended = ends(&mut child);
    let status = match ended {
        Some(status) => status,
        None => child.wait().expect("it was killed"),
    };
    let whole = |heard: &Heard| {
        heard.to_the_end();
        heard.bytes()
    };
    let output =
        Output { status, stdout: out.as_ref().map(whole).unwrap_or_default(), stderr: whole(&err) };
    Ok((output, ended.is_some()))
}

pub fn call(url: &str, method: &str, path: &str, body: &Value) -> (u16, Value) {
    let answer = ask(&agent(), None, method, &format!("{url}{path}"), body);
    let (status, _, json) = answer.expect("the server answers");
    (status, json)
}

/// As [`call`], but repeats the request as a client does: on a busy machine the store behind the server may time
/// out or be overloaded.
pub fn patient(url: &str, method: &str, path: &str, body: &Value) -> (u16, Value) {
    let mut last = None;
    let had = until(|| {
        let (status, answer) = call(url, method, path, body);
        let code = answer["code"].as_str().unwrap_or_default();
        let late = status == 503 && ["STORE_UNAVAILABLE", "OVERLOADED"].contains(&code);
        last = Some(answer.clone());
        (!late).then_some((status, answer))
    });
    had.unwrap_or_else(|| panic!("{path}: no answer in time: {last:?}"))
}

/// Sends one request with this token and, if any, this body.
pub fn ask(
    agent: &ureq::Agent,
    token: Option<&str>,
    method: &str,
    url: &str,
    body: &Value,
) -> Result<(u16, ureq::http::HeaderMap, Value), ureq::Error> {
    let mut request = ureq::http::Request::builder().method(method).uri(url);
    request = request.header("content-type", "application/json");
    if let Some(token) = token {
        request = request.header("authorization", format!("Bearer {token}"));
    }
    let body = if body.is_null() { String::new() } else { body.to_string() };
    let mut answer = agent.run(request.body(body).unwrap())?;
    let text = answer.body_mut().read_to_string()?;
    let json = serde_json::from_str(&text).unwrap_or(Value::Null);
    Ok((answer.status().as_u16(), answer.headers().clone(), json))
}

pub const JSON: &str = "content-type: application/json\r\n";

pub fn send_raw(url: &str, line: &str, headers: &str, body: &str) -> Answer {
    let at = url.strip_prefix("http://").expect("a plain address");
    let host = if headers.contains("host: ") { "" } else { &format!("host: {at}\r\n") };
    let mut stream = TcpStream::connect(at).expect("it listens");
    stream.set_read_timeout(Some(LIMIT)).expect("a time-out");
    let length = body.len();
    let text = format!(
        "{line} HTTP/1.1\r\n{host}connection: close\r\n{headers}content-length: {length}\r\n\r\n{body}"
    );
    let _ = stream.write_all(text.as_bytes());
    Answer::read(&mut BufReader::new(stream)).expect("an answer")
}

fn started(command: &mut Command) -> Child {
    at_home(command);
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    command.spawn().expect("leafid starts")
}

/// Waits for the next day (UTC) if this one ends soon: quotas by the day would begin again in the
/// middle of a test.
pub fn early_in_the_day() {
    let since = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).expect("after 1970");
    let left = 86_400 - since.as_secs() % 86_400;
    if left < 2 * LIMIT.as_secs() {
        std::thread::sleep(Duration::from_secs(left));
    }
}

pub fn until<T>(mut look: impl FnMut() -> Option<T>) -> Option<T> {
    let begun = Instant::now();
    loop {
        let found = look();
        if found.is_some() || begun.elapsed() > LIMIT {
            return found;
        }
        std::thread::sleep(Duration::from_millis(10));
    }
}

pub fn agent() -> ureq::Agent {
    ureq::Agent::config_builder()
        .http_status_as_error(false)
        .allow_non_standard_methods(true)
        .timeout_global(Some(LIMIT))
        .proxy(None)
        .build()
        .new_agent()
}
