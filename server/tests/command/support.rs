//! The command `leafid`, run and listened to.

use std::io::{BufRead, BufReader, Read};
use std::path::Path;
use std::process::{Child, ChildStderr, Command, Output, Stdio};
use std::sync::{Arc, Mutex};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use serde_json::Value;

/// So long a test waits for what is to come.
pub const LIMIT: Duration = Duration::from_secs(120);

pub const LEAFID: &str = env!("CARGO_BIN_EXE_leafid");

pub struct Serving {
    pub child: Child,
    pub url: String,
    /// What it said before it told the address.
    pub first: String,
    out: BufReader<std::process::ChildStdout>,
    log: Arc<Mutex<String>>,
    listens: Option<JoinHandle<()>>,
}

impl Serving {
    pub fn start(file: &Path) -> Serving {
        let store = format!("sqlite:{}", file.display());
        let mut command = Command::new(LEAFID);
        Serving::spawn(command.args([
            "serve",
            "--create",
            "--store",
            &store,
            "--listen",
            "127.0.0.1:0",
        ]))
    }

    pub fn spawn(command: &mut Command) -> Serving {
        let (child, pipe) = started(command);
        let (log, listens) = listen(pipe);
        Serving::over(child, log, Some(listens))
    }

    /// As [`Serving::spawn`], and its log is not read.
    pub fn unheard(command: &mut Command) -> (Serving, ChildStderr) {
        let (child, pipe) = started(command);
        (Serving::over(child, Arc::default(), None), pipe)
    }

    fn over(mut child: Child, log: Arc<Mutex<String>>, listens: Option<JoinHandle<()>>) -> Serving {
        let mut out = BufReader::new(child.stdout.take().expect("a pipe"));
        let (mut first, mut line, mut url) = (String::new(), String::new(), None);
        while url.is_none() && out.read_line(&mut line).expect("a line") > 0 {
            let told = line.trim_end().strip_prefix("leafid: listening on ");
            url = told.map(str::to_owned);
            first.push_str(&line);
            line.clear();
        }
        let url = url.unwrap_or_else(|| panic!("leafid does not listen: {}", log.lock().unwrap()));
        Serving { child, url, first, out, log, listens }
    }

    /// Reads the log that nobody read.
    pub fn hear(&mut self, pipe: ChildStderr) {
        let (log, listens) = listen(pipe);
        (self.log, self.listens) = (log, Some(listens));
    }

    /// What it wrote to standard error so far.
    pub fn log(&self) -> String {
        self.log.lock().unwrap().clone()
    }

    /// Waits for a line in its log that has all these words.
    pub fn logs(&self, words: &[&str]) -> String {
        let found = until(|| {
            let log = self.log();
            let line = log.lines().find(|line| words.iter().all(|word| line.contains(word)));
            line.map(str::to_owned)
        });
        found.unwrap_or_else(|| panic!("no line with {words:?} in\n{}", self.log()))
    }

    /// The status and the body of an answer.
    pub fn get(&self, path: &str) -> (u16, Value) {
        read(agent().get(format!("{}{path}", self.url)).call())
    }

    /// The status and the body of an answer.
    pub fn post(&self, path: &str, body: &Value) -> (u16, Value) {
        let request = agent().post(format!("{}{path}", self.url));
        read(request.header("content-type", "application/json").send(body.to_string()))
    }

    /// Waits until `/readyz` answers with this status, and a body that has all these words.
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

    /// Ends it by a signal; its exit code, and what it still said. Its log is whole then.
    pub fn end(&mut self, signal: &str) -> (Option<i32>, String) {
        let pid = self.child.id().to_string();
        assert!(Command::new("kill").args([signal, &pid]).status().expect("kill runs").success());
        let code = self.child.wait().expect("it ends").code();
        let mut rest = String::new();
        self.out.read_to_string(&mut rest).expect("text");
        if let Some(listens) = self.listens.take() {
            listens.join().expect("its log is text");
        }
        (code, rest)
    }
}

impl Drop for Serving {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// The status and the body of an answer; without a body there is none.
pub fn call(url: &str, method: &str, path: &str, body: &Value) -> (u16, Value) {
    let request = ureq::http::Request::builder().method(method).uri(format!("{url}{path}"));
    let request = request.header("content-type", "application/json");
    let body = if body.is_null() { String::new() } else { body.to_string() };
    read(agent().run(request.body(body).expect("a request")))
}

fn started(command: &mut Command) -> (Child, ChildStderr) {
    command.stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().expect("leafid starts");
    let pipe = child.stderr.take().expect("a pipe");
    (child, pipe)
}

/// What a verb said. On a busy machine a connection to a database may be made too late, and nothing
/// is done then, or a server waits that was to be refused: it is tried again.
pub fn leafid(store: &str, args: &[&str]) -> Output {
    for _ in 0..5 {
        let (output, ended) = run(store, args);
        let late = |said: &[u8]| String::from_utf8_lossy(said).contains("no answer within");
        if late(&output.stdout) || late(&output.stderr) {
            continue;
        }
        assert!(ended, "{args:?} does not end: {output:?}");
        return output;
    }
    panic!("{args:?}: no answer in time, five times in a row")
}

/// What a verb said until it ended, or was killed.
fn run(store: &str, args: &[&str]) -> (Output, bool) {
    let mut command = Command::new(LEAFID);
    command.args(args).env("LEAFID_STORE", store).stdin(Stdio::null());
    command.stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().expect("leafid runs");
    // Read meanwhile: completions are more than a pipe holds.
    let mut out = child.stdout.take().expect("a pipe");
    let said = std::thread::spawn(move || {
        let mut said = Vec::new();
        out.read_to_end(&mut said).map(|_| said)
    });
    // A server that was to be refused and serves does not end by itself.
    let ended = until(|| child.try_wait().expect("a child of ours"));
    if ended.is_none() {
        child.kill().expect("a child of ours");
    }
    let stdout = said.join().expect("a reader").expect("what it said");
    (Output { stdout, ..child.wait_with_output().expect("leafid ends") }, ended.is_some())
}

pub fn says(store: &str, args: &[&str]) -> String {
    let output = leafid(store, args);
    assert!(output.status.success(), "{args:?}: {output:?}");
    String::from_utf8(output.stdout).expect("text")
}

pub fn fails(store: &str, args: &[&str], code: i32) -> String {
    let output = leafid(store, args);
    assert_eq!(output.status.code(), Some(code), "{args:?}: {output:?}");
    String::from_utf8(output.stderr).expect("text")
}

/// Looks again and again until there is something, but not for ever.
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

/// Reads what comes out of a pipe into a text that can be looked at meanwhile.
fn listen(pipe: ChildStderr) -> (Arc<Mutex<String>>, JoinHandle<()>) {
    let log = Arc::new(Mutex::new(String::new()));
    let heard = Arc::clone(&log);
    let thread = std::thread::spawn(move || {
        for line in BufReader::new(pipe).lines() {
            let line = line.expect("the log is text");
            let mut heard = heard.lock().unwrap();
            heard.push_str(&line);
            heard.push('\n');
        }
    });
    (log, thread)
}

fn agent() -> ureq::Agent {
    ureq::Agent::config_builder()
        .http_status_as_error(false)
        .allow_non_standard_methods(true)
        .timeout_global(Some(LIMIT))
        .proxy(None)
        .build()
        .new_agent()
}

fn read(answer: Result<ureq::http::Response<ureq::Body>, ureq::Error>) -> (u16, Value) {
    let mut answer = answer.expect("the server answers");
    let body = answer.body_mut().read_to_string().expect("text");
    (answer.status().as_u16(), serde_json::from_str(&body).expect("JSON"))
}
