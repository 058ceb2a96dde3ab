//! A `leafid serve` of this program's own.

use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

use serde_json::json;

use crate::Outcome;
use crate::client::Client;

/// A server in a folder of its own, ended with this value.
pub struct Server {
    child: Child,
    folder: PathBuf,
    url: String,
}

impl Server {
    /// Starts it on a free port.
    pub fn start(binary: &Path) -> Outcome<Self> {
        let folder = std::env::temp_dir().join(format!("leafid-{}", std::process::id()));
        std::fs::create_dir_all(&folder)?;
        let store = format!("sqlite:{}", folder.join("leafid.db").display());
        let child = Command::new(binary)
            .args([
                "serve",
                "--create",
                "--no-journal",
                "--store",
                &store,
                "--listen",
                "127.0.0.1:0",
            ])
            .stdout(Stdio::piped())
            .spawn()?;
        // From here on it ends with this value.
        let mut server = Self { child, folder, url: String::new() };
        let lines = BufReader::new(server.child.stdout.take().ok_or("no output")?).lines();
        let told = lines.map_while(Result::ok).find_map(|line| {
            let from = line.find("http://")?;
            line[from..].split_whitespace().next().map(str::to_owned)
        });
        server.url = told.ok_or("the server did not start")?;
        Ok(server)
    }

    /// Its address.
    pub fn url(&self) -> &str {
        &self.url
    }

    /// Creates a tag with the defaults.
    pub fn create_tag(&self, name: &str) -> Outcome {
        Client::new(&self.url).put(&format!("tags/{name}"), json!({}))
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
        let _ = std::fs::remove_dir_all(&self.folder);
    }
}
