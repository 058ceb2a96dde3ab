//! A real store: the server's binary on a file of its own, started, killed, ended, started again.

use std::fs;
use std::net::{Ipv4Addr, SocketAddr, TcpListener};
use std::path::{Path, PathBuf};
use std::process::{Command, ExitStatus};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::time::{Duration, Instant};

use serde_json::Value;

use crate::child::{Child, dies_with_us, said};
use crate::http;

/// How long a store may take to be ready, and to end.
const LIMIT: Duration = Duration::from_secs(120);

/// A store on one address, running or not.
pub struct Store {
    binary: PathBuf,
    folder: PathBuf,
    address: SocketAddr,
    child: Option<Child>,
}

impl Store {
    /// Starts a store in `folder`, with an empty file, and waits until it is ready.
    ///
    /// # Errors
    /// It does not start, or is not ready within two minutes.
    pub fn start(binary: &Path, folder: &Path) -> Result<Store, String> {
        fs::create_dir_all(folder).map_err(|error| format!("`{}`: {error}", folder.display()))?;
        loop {
            let address = SocketAddr::from((Ipv4Addr::LOCALHOST, free_port()?));
            let (binary, folder) = (binary.to_owned(), folder.to_owned());
            let mut store = Store { binary, folder, address, child: None };
            match store.launch() {
                Ok(()) => return Ok(store),
                // Another process took the port since it was found free: there are more.
                Err(error) if is_taken(&error) => {}
                Err(error) => return Err(error),
            }
        }
    }

    /// Starts it once more, on what it kept and the same port, and waits until it is ready.
    ///
    /// # Errors
    /// It does not start, or is not ready within two minutes.
    pub fn start_again(&mut self) -> Result<(), String> {
        let deadline = Instant::now() + LIMIT;
        loop {
            match self.launch() {
                // Somebody has its port for a moment.
                Err(error) if is_taken(&error) && Instant::now() < deadline => {}
                done => return done,
            }
            std::thread::sleep(Duration::from_millis(100));
        }
    }

    fn launch(&mut self) -> Result<(), String> {
        let mut command = dies_with_us(&self.binary);
        command.current_dir(&self.folder).env_remove("LEAFID_STORE");
        command.args(["serve", "--create", "--no-journal", "--store"]);
        command.arg(format!("sqlite:{}", self.file().display()));
        command.arg("--listen").arg(self.address.to_string());
        let told = Arc::new(AtomicBool::new(false));
        let listens = Arc::clone(&told);
        let started = Child::start("the store", command, move |line| {
            let listening = line.is_some_and(|line| line.starts_with("leafid: listening on "));
            listens.fetch_or(listening, Ordering::SeqCst);
        });
        let mut child = started
            .map_err(|error| format!("`{}` does not start: {error}", self.binary.display()))?;
        let deadline = Instant::now() + LIMIT;
        // Another store may answer at this address where this one cannot have it.
        while !told.load(Ordering::SeqCst) || http::get(self.address, "/readyz").is_err() {
            if child.poll().is_some() || Instant::now() > deadline {
                child.kill();
                return Err(format!("the store is not ready\n{}", child.stderr()));
            }
            std::thread::sleep(Duration::from_millis(5));
        }
        self.child = Some(child);
        Ok(())
    }

    /// `kill -9`.
    pub fn kill(&mut self) {
        if let Some(mut child) = self.child.take() {
            child.kill();
        }
    }

    /// SIGTERM, and waits for the end.
    ///
    /// # Errors
    /// It does not run, or did not end within two minutes and was killed.
    pub fn terminate(&mut self) -> Result<ExitStatus, String> {
        self.ask_to_end();
        self.wait()
    }

    /// SIGTERM alone; [`Store::wait`] waits for the end.
    pub fn ask_to_end(&mut self) {
        if let Some(child) = &mut self.child {
            child.terminate();
        }
    }

    /// Waits until it has ended.
    ///
    /// # Errors
    /// It does not run, or did not end within two minutes and was killed.
    pub fn wait(&mut self) -> Result<ExitStatus, String> {
        let mut child = self.child.take().ok_or("the store does not run")?;
        child.wait(LIMIT)
    }

    /// Whether it ended by itself.
    pub fn is_gone(&mut self) -> bool {
        self.child.as_mut().is_none_or(|child| child.poll().is_some())
    }

    /// Its last words.
    pub fn stderr(&self) -> String {
        self.child.as_ref().map(Child::stderr).unwrap_or_default()
    }

    /// Its process while it runs, else 0.
    pub fn id(&self) -> u32 {
        self.child.as_ref().map_or(0, Child::id)
    }

    /// Where it listens.
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// Its address as hosts take it.
    pub fn url(&self) -> String {
        format!("http://{}", self.address)
    }

    /// The file that it keeps.
    pub fn file(&self) -> PathBuf {
        self.folder.join("leafid.db")
    }

    /// Runs the binary as an operator would, against this store.
    ///
    /// # Errors
    /// What it said when it failed.
    pub fn operate(&self, words: &[&str]) -> Result<String, String> {
        let mut command = Command::new(&self.binary);
        command.args(words).args(["--url", &self.url()]);
        command.current_dir(&self.folder).env_remove("LEAFID_STORE");
        said(command, LIMIT).map_err(|error| format!("`leafid {}`: {error}", words.join(" ")))
    }

    /// Makes the tag and the namespace of a stream: small steps and windows, so that ranges change
    /// hands often.
    ///
    /// # Errors
    /// What the store said.
    pub fn prepare(&self, tag: &str, namespace: &str) -> Result<(), String> {
        self.operate(&["tag", "create", tag, "--step", "100", "--max-step", "100"])?;
        self.operate(&["namespace", "create", namespace, "--max-window", "10s"])?;
        Ok(())
    }

    /// The answer to a GET.
    ///
    /// # Errors
    /// No answer, or another status than 200.
    pub fn get(&self, path: &str) -> Result<Value, String> {
        http::get(self.address, path)
    }
}

/// Whether another process has the port of a store that said this.
fn is_taken(error: &str) -> bool {
    error.contains("already in use")
}

/// A port that is free, below those that the system gives to outgoing connections: a host that
/// keeps trying a stopped store on one of *those* will in the end be connected to itself, and hold
/// the port against the store's return.
fn free_port() -> Result<u16, String> {
    // Tests run side by side: each looks further on, so that two do not find the same port before
    // their stores listen on it.
    static NEXT: AtomicU32 = AtomicU32::new(0);
    let start = std::process::id();
    for _ in 0..10_000 {
        let at = NEXT.fetch_add(1, Ordering::Relaxed);
        let port = 16_000 + (start.wrapping_add(at.wrapping_mul(7)) % 10_000) as u16;
        if let Ok(listener) = TcpListener::bind((Ipv4Addr::LOCALHOST, port)) {
            drop(listener);
            return Ok(port);
        }
    }
    Err("no port is free between 16000 and 26000".to_owned())
}
