//! An HTTP client that keeps the bytes of an answer.

use std::io::{BufReader, Write};
use std::net::TcpStream;
use std::process::Command;

use crate::support::{Answer, LEAFID, LIMIT, Serving};

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
        let client = Client::connect(leafs(&serving));
        Running { serving, client }
    }

    pub fn get(&mut self, path: &str) -> String {
        let answer = self.client.call("GET", path, &[]);
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

pub struct Client {
    address: String,
    stream: Option<BufReader<TcpStream>>,
    pub connections: usize,
}

impl Client {
    pub fn connect(address: &str) -> Client {
        Client { address: address.to_owned(), stream: None, connections: 0 }
    }

    /// Sends a request and reads its answer. Adds `Host` where `headers` has none.
    pub fn call(&mut self, method: &str, path: &str, headers: &[(&str, &str)]) -> Answer {
        let mut request = format!("{method} {path} HTTP/1.1\r\n");
        if !headers.iter().any(|(name, _)| *name == "Host") {
            request.push_str(&format!("Host: {}\r\n", self.address));
        }
        for (name, value) in headers {
            request.push_str(&format!("{name}: {value}\r\n"));
        }
        let body = if method == "POST" { "key=value" } else { "" };
        if !body.is_empty() {
            request.push_str(&format!("Content-Length: {}\r\n", body.len()));
        }
        request.push_str(&format!("\r\n{body}"));
        if self.stream.is_none() {
            let stream = TcpStream::connect(&self.address).expect("a connection");
            stream.set_read_timeout(Some(LIMIT)).expect("a time-out");
            self.stream = Some(BufReader::new(stream));
            self.connections += 1;
        }
        let stream = self.stream.as_mut().expect("a stream");
        stream.get_mut().write_all(request.as_bytes()).expect("sent");
        let read = if method == "HEAD" { Answer::head } else { Answer::read };
        let answer = read(stream).expect("an answer");
        if answer.closes() {
            self.stream = None;
        }
        answer
    }
}
