//! A server with Leaf's paths, and a client of those.

use std::process::Command;

use crate::support::{Answer, Client, LEAFID, Serving, message};

pub struct Running {
    pub serving: Serving,
    pub client: Client,
}

impl Running {
    pub fn start(args: &[&str]) -> Running {
        let mut command = Command::new(LEAFID);
        command.args(["serve", "--create", "--listen", "127.0.0.1:0"]);
        Running::spawn(command.args(["--listen-leaf", "127.0.0.1:0"]).args(args))
    }

    pub fn spawn(command: &mut Command) -> Running {
        let serving = Serving::spawn(command);
        let client = Client::of(leafs(&serving));
        Running { serving, client }
    }

    pub fn call(&mut self, method: &str, path: &str, headers: &[(&str, &str)]) -> Answer {
        let body = if method == "POST" { "key=value" } else { "" };
        let request = message(&format!("{method} {path}"), headers, body);
        self.client.ask(&request).expect("an answer")
    }

    pub fn get(&mut self, path: &str) -> String {
        let answer = self.call("GET", path, &[]);
        assert_eq!(answer.status, 200, "{path}: {}", answer.body);
        answer.body
    }

    pub fn number(&mut self, path: &str) -> u64 {
        self.get(path).parse().expect("a number")
    }
}

pub fn leafs(serving: &Serving) -> &str {
    let told = "Leaf's paths are at http://";
    let line = serving.first.lines().find_map(|line| line.split_once(told));
    line.unwrap_or_else(|| panic!("{}", serving.first)).1.trim()
}
