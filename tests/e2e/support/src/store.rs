//! A real store: runs the server's binary on its own file, and kills, ends and restarts it.

use std::fs;
use std::net::{Ipv4Addr, SocketAddr};
use std::path::{Path, PathBuf};
use std::process::{Command, ExitStatus};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use rustix::process::Signal;
use serde_json::Value;

use crate::child::{Child, dies_with_us, said};
use crate::port::Port;

const LIMIT: Duration = Duration::from_secs(120);

/// The tag of a stream.
pub const TAG: &str = "orders";
/// The numbers in one of its steps: few, so that leases are frequent.
pub const STEP: u64 = 100;
/// The namespace of a stream, with windows of 10 s and the layout [`Layout::LEAF`](leafid_core::Layout::LEAF).
pub const NAMESPACE: &str = "stream";

/// A store on one address, running or not.
pub struct Store {
    binary: PathBuf,
    folder: PathBuf,
    port: Port,
    child: Option<Child>,
}

impl Store {
    /// Starts a store in `folder`, with an empty file, and waits until it listens.
    pub fn start(binary: &Path, folder: &Path) -> Result<Store, String> {
        fs::create_dir_all(folder).map_err(|error| format!("`{}`: {error}", folder.display()))?;
        let (binary, folder, port) = (binary.to_owned(), folder.to_owned(), Port::take()?);
        let mut store = Store { binary, folder, port, child: None };
        store.start_again()?;
        Ok(store)
    }

    /// Restarts it on the same file and port, and waits until it listens: its file is open then.
    pub fn start_again(&mut self) -> Result<(), String> {
        let mut command = dies_with_us(&self.binary);
        command.current_dir(&self.folder).env_remove("LEAFID_STORE");
        command.args(["serve", "--create", "--no-journal", "--store"]);
        command.arg(format!("sqlite:{}", self.folder.join("leafid.db").display()));
        command.arg("--listen").arg(self.address().to_string());
        let told = Arc::new(AtomicBool::new(false));
        let listens = Arc::clone(&told);
        let started = Child::start("the store", command, move |line| {
            let listening = line.is_some_and(|line| line.starts_with("leafid: listening on "));
            listens.fetch_or(listening, Ordering::SeqCst);
        });
        let mut child = started
            .map_err(|error| format!("`{}` does not start: {error}", self.binary.display()))?;
        child.wait_until(LIMIT, |_| told.load(Ordering::SeqCst))?;
        self.child = Some(child);
        Ok(())
    }

    pub fn kill(&mut self) {
        if let Some(mut child) = self.child.take() {
            child.kill();
        }
    }

    /// Sends SIGTERM, and waits for the end.
    pub fn terminate(&mut self) -> Result<ExitStatus, String> {
        let mut child = self.child.take().ok_or("the store does not run")?;
        child.ask_to_end(Signal::TERM);
        child.wait(LIMIT)
    }

    pub fn is_gone(&mut self) -> bool {
        self.child.as_mut().is_none_or(|child| child.poll().is_some())
    }

    pub fn stderr(&self) -> String {
        self.child.as_ref().map(Child::stderr).unwrap_or_default()
    }

    pub fn address(&self) -> SocketAddr {
        SocketAddr::from((Ipv4Addr::LOCALHOST, self.port.number()))
    }

    pub fn url(&self) -> String {
        format!("http://{}", self.address())
    }

    /// Runs the binary as an operator would, against this store.
    pub fn operate(&self, words: &[&str]) -> Result<String, String> {
        let mut command = Command::new(&self.binary);
        command.args(words).args(["--url", &self.url()]);
        command.current_dir(&self.folder).env_remove("LEAFID_STORE");
        said(command, LIMIT).map_err(|error| format!("`leafid {}`: {error}", words.join(" ")))
    }

    /// Creates the tag and the namespace of a stream.
    pub fn prepare(&self) -> Result<(), String> {
        let step = &STEP.to_string();
        self.operate(&["tag", "create", TAG, "--step", step, "--max-step", step])?;
        self.operate(&["namespace", "create", NAMESPACE, "--max-window", "10s"])?;
        Ok(())
    }

    /// How many numbers of the tag were ever granted.
    pub fn granted(&self) -> Result<u64, String> {
        let list = self.list(&["tag", "list"])?;
        let next = list["tags"][0]["max_id"].as_str().and_then(|next| next.parse::<u64>().ok());
        next.map(|next| next - 1).ok_or_else(|| format!("no tag: {list}"))
    }

    /// How many worker numbers ever had a window, and how many are held now.
    pub fn workers(&self) -> Result<(usize, usize), String> {
        let list = self.list(&["worker", "list", NAMESPACE])?;
        let rows = list["workers"].as_array().ok_or_else(|| format!("no workers: {list}"))?;
        Ok((rows.len(), rows.iter().filter(|row| row["held"] != false).count()))
    }

    fn list(&self, words: &[&str]) -> Result<Value, String> {
        let said = self.operate(&[words, &["--json"]].concat())?;
        serde_json::from_str(&said).map_err(|error| format!("{error}: {said}"))
    }
}
