//! TLS: certificates that are valid, that are renewed, and that cannot be used.

use std::io::{Read, Write};
use std::process::Command;

use serde_json::Value;

use crate::secured::Secured;
use crate::support::{LIMIT, Serving, ask, does, fails, has, output, play, refused, until};

fn get(agent: &ureq::Agent, token: &str, serving: &Serving) -> Result<u16, ureq::Error> {
    let url = format!("{}/v1/tags", serving.url);
    ask(agent, Some(token), "GET", &url, &Value::Null).map(|(status, ..)| status)
}

#[test]
fn a_server_speaks_tls_where_it_has_a_certificate() {
    let secured = Secured::new();
    let token = secured.token(&["app"]);
    let mut serving = secured.serve_tls(&["--listen", "http://127.0.0.1:0"]);
    // The second listener is printed first.
    assert!(serving.url.starts_with("http://"), "{}", serving.first);
    let plain = serving.url.clone();
    let line = serving.logs(&["INFO started", "https://127.0.0.1:"]);
    let secure =
        line.split("https://").nth(1).unwrap().split([',', '"']).next().unwrap().to_owned();
    assert_eq!(get(&secured.agent(None), &token, &serving).unwrap(), 200, "plain where it is said");
    serving.url = format!("https://{secure}");
    assert_eq!(get(&secured.agent(None), &token, &serving).unwrap(), 200);
    assert_eq!(get(&secured.agent(None), "leafid_none", &serving).unwrap(), 401);
    // A client that trusts only public authorities refuses this certificate.
    let public =
        ureq::Agent::config_builder().timeout_global(Some(LIMIT)).proxy(None).build().new_agent();
    let why = get(&public, &token, &serving).unwrap_err().to_string();
    assert!(why.contains("UnknownIssuer"), "{why}");

    // A client that speaks plain HTTP gets no answer.
    let mut bare = std::net::TcpStream::connect(&secure).unwrap();
    bare.set_read_timeout(Some(LIMIT)).unwrap();
    bare.write_all(b"GET /v1/tags HTTP/1.1\r\nhost: localhost\r\n\r\n").unwrap();
    let mut said = Vec::new();
    let _ = bare.read_to_end(&mut said);
    assert!(!said.windows(4).any(|part| part == b"HTTP"), "{said:?}");

    let list = |url: &str, ca: Option<&str>| {
        let mut command = secured.leafid("tag");
        command.args(["list", "--url", url]).env("LEAFID_TOKEN", &token);
        command.args(ca.map(|ca| ["--ca".to_owned(), secured.at(ca)]).into_iter().flatten());
        command
    };
    does(&mut list(&serving.url, Some("ca.pem")));
    for (url, ca, says) in [
        (serving.url.clone(), None, "UnknownIssuer"),
        (serving.url.clone(), Some("key.pem"), "no certificate"),
        (serving.url.replace("https:", "http:"), None, "; if it speaks TLS, write https://"),
        (plain.replace("http:", "https:"), None, "; if it speaks plain HTTP, write http://"),
    ] {
        has(&refused(&mut list(&url, ca), 1), &[says]);
    }
    assert_eq!(serving.end("-TERM").0, Some(0));
}

#[test]
fn a_new_certificate_is_taken_in_and_connections_go_on() {
    let secured = Secured::new();
    let token = secured.token(&["app"]);
    let serving = secured.serve_tls(&[]);
    let kept = secured.agent(None);
    assert_eq!(get(&kept, &token, &serving).unwrap(), 200);
    secured.certify("cert.pem", "other-key.pem", (2020, 2090));
    serving.logs(&["ERROR", "the certificate stays as it was", "is not the key of"]);
    assert_eq!(get(&secured.agent(None), &token, &serving).unwrap(), 200);
    // A certificate of another authority is refused by a client that trusts only the old one.
    let other = Secured::new();
    for name in ["cert.pem", "key.pem"] {
        secured.write(name, &std::fs::read_to_string(other.at(name)).unwrap());
    }
    until(|| (get(&other.agent(None), &token, &serving).ok() == Some(200)).then_some(()))
        .expect("the new one is shown");
    assert!(get(&secured.agent(None), &token, &serving).is_err());
    assert_eq!(get(&kept, &token, &serving).unwrap(), 200, "a connection that was there goes on");
}

/// Reading a pipe might never end, and then no token could be revoked.
#[test]
fn a_pipe_in_the_place_of_the_certificate_holds_nothing_up() {
    let secured = Secured::new();
    let token = secured.token(&["app"]);
    let serving = secured.serve_tls(&[]);
    assert_eq!(get(&secured.agent(None), &token, &serving).unwrap(), 200);
    let pipe = secured.at("pipe");
    does(Command::new("mkfifo").arg(&pipe));
    std::fs::rename(&pipe, secured.at("cert.pem")).unwrap();
    serving.logs(&["ERROR", "the certificate stays as it was", "no regular file"]);
    does(secured.leafid("token").args(["revoke", "app"]));
    until(|| (get(&secured.agent(None), &token, &serving).ok() == Some(401)).then_some(()))
        .expect("what is revoked is refused");
}

#[test]
fn clients_may_have_to_show_a_certificate() {
    let secured = Secured::new();
    let token = secured.token(&["app"]);
    let ca = secured.at("ca.pem");
    let serving = secured.serve_tls(&["--client-ca", &ca]);
    secured.certify("own.pem", "own-key.pem", (2020, 2090));
    let with = secured.agent(Some(("own.pem", "own-key.pem")));
    assert_eq!(get(&with, &token, &serving).unwrap(), 200);
    assert_eq!(get(&with, "leafid_none", &serving).unwrap(), 401, "the token tells who it is");
    assert!(get(&secured.agent(None), &token, &serving).is_err(), "none");
    secured.certify("late.pem", "late-key.pem", (2019, 2020));
    let late = secured.agent(Some(("late.pem", "late-key.pem")));
    assert!(get(&late, &token, &serving).is_err(), "one that has expired");
    let mut command = secured.leafid("tag");
    command.args(["list", "--url", &serving.url, "--ca", &ca]).env("LEAFID_TOKEN", &token);
    refused(&mut command, 1);
    command.env("LEAFID_CERT", secured.at("own.pem"));
    command.env("LEAFID_KEY", secured.at("own-key.pem"));
    does(&mut command);
}

#[test]
fn a_certificate_that_cannot_be_used_is_told_at_start() {
    let secured = Secured::new();
    secured.certify("late.pem", "late-key.pem", (2019, 2020));
    secured.certify("early.pem", "early-key.pem", (2089, 2090));
    secured.certify("other.pem", "other-key.pem", (2020, 2090));
    secured.write("empty.pem", "nothing here\n");
    let client_ca = format!("--client-ca {}", secured.at("key.pem"));
    for (cert, key, more, says) in [
        ("late.pem", "late-key.pem", "", "expired"),
        ("early.pem", "early-key.pem", "", "not valid yet"),
        ("cert.pem", "other-key.pem", "", "is not the key of"),
        ("cert.pem", "ca.pem", "", "no private key"),
        ("empty.pem", "key.pem", "", "no certificate"),
        ("none.pem", "key.pem", "", "No such file"),
        ("cert.pem", "key.pem", &client_ca, "--client-ca"),
    ] {
        let files = format!("--tls-cert {} --tls-key {}", secured.at(cert), secured.at(key));
        let serve = format!("serve --listen 127.0.0.1:0 {files} {more}");
        play(&secured.store, &format!("{serve} =1 REQUEST_INVALID & {says}"));
    }
    play(&secured.store, &format!("serve --tls-cert {} =2 --tls-key", secured.at("cert.pem")));
}

/// The commands that the refusal shows start a server that other machines reach.
#[test]
fn the_refusal_shows_what_does_it_right() {
    let secured = Secured::new();
    let said = fails(&secured.store, &["serve", "--listen", "0.0.0.0:0"], 1);
    has(&said, &["leafid token create", "openssl req -x509", "leafid serve --listen"]);
    let token = secured.token(&["app"]);
    let mut serving = secured.serve_tls(&["--listen", "0.0.0.0:0"]);
    assert!(serving.url.starts_with("https://0.0.0.0:"), "{}", serving.first);
    drop(serving);
    // Clients that trust the certificate made by the shown command accept the server.
    let line = said.lines().find(|line| line.contains("openssl")).unwrap();
    let mut openssl = Command::new("sh");
    openssl.arg("-c").arg(line.replace("HOST", "localhost")).current_dir(secured.path());
    let made = output(&mut openssl).status;
    // The shell's exit code for a program that is not installed.
    if made.code() == Some(127) {
        return leafid_servers::missing("certificates", "`openssl`");
    }
    assert!(made.success(), "{line}");
    // At new ports: a port that was freed may be taken at once.
    serving = secured.serve_tls(&["--listen", "0.0.0.0:0"]);
    let url = serving.url.replace("0.0.0.0", "localhost");
    let mut list = secured.leafid("tag");
    list.args(["list", "--url", &url]).env("LEAFID_TOKEN", &token);
    has(&refused(&mut list, 1), &["--ca"]);
    does(list.arg("--ca").arg(secured.at("cert.pem")));
    drop(serving);
    secured.certify("cert.pem", "key.pem", (2020, 2090));
    serving = secured.serve_tls(&["--listen", "0.0.0.0:0"]);
    serving.url = serving.url.replace("0.0.0.0", "127.0.0.1");
    assert_eq!(get(&secured.agent(None), &token, &serving).unwrap(), 200);
}
