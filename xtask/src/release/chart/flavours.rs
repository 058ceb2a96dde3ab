//! Each kind of store that the chart has, run: a file with one server; PostgreSQL with several, of which
//! any may create what is missing; and the same with a certificate and tokens.

use std::thread;

use leafid_servers::{Databases, Postgres, Server as _};

use super::pod::{Pod, Secret, replicas};
use crate::process::Run;
use crate::release::image::Stage;
use crate::release::root::in_the_end;
use crate::{Outcome, files, project};

const CREATE: &str = "createStore=true";

/// All of them.
pub fn run() -> Outcome<String> {
    sqlite()?;
    if let Some(missing) = Postgres::missing() {
        let told = format!("there is no `{missing}`: install `{}`", Postgres::PACKAGE);
        return Err(format!("the flavours with a database are NOT RUN: {told}"));
    }
    let mut server = Postgres::start_with(&[])?;
    let count = database(&server.make_database("chart")?)?;
    guarded(&server.make_database("guarded")?)?;
    server.stop()?;
    Ok(format!(
        "its containers run: sqlite; {count} on PostgreSQL that create the store at once; TLS and \
         tokens from secrets"
    ))
}

/// One server of a file. It is started again as an upgrade does, which creates nothing.
fn sqlite() -> Outcome {
    let sample = "sqlite-values.yaml";
    let pod = Pod::start("chart", sample, &[], &[])?;
    in_the_end(|| has_its_tags(&pod))?;
    same("1\n2\n3\n", &pod.exec(&["next", "tenant:acme", "--count", "3"], &[])?)?;
    let pod = pod.again(sample, &["createStore=false"], &[])?;
    in_the_end(|| has_its_tags(&pod))?;
    let listed = pod.exec(&["tag", "list"], &[])?;
    if !listed.contains("tenant:acme") {
        return Err(format!("a tag that was leased from is not there after a restart: {listed}"));
    }
    pod.stop().map(drop)
}

/// As many servers as the chart says, which start at the same time on an empty database.
fn database(url: &str) -> Outcome<usize> {
    let (sample, count) = ("database-values.yaml", replicas("database-values.yaml")?);
    let secrets = [("leafid-store", vec![("url", url.to_owned())])];
    let pods = together(count, |name| Pod::start(name, sample, &[CREATE], &secrets))?;
    let mut first: Vec<_> = Vec::new();
    for pod in &pods {
        in_the_end(|| has_its_tags(pod))?;
        // A tag of the pattern, by its first use at any of them.
        first.push(pod.exec(&["next", "tenant:acme", "--count", "3"], &[])?);
    }
    first.sort();
    first.dedup();
    if count < 2 || first.len() != count {
        return Err(format!("{count} servers gave {first:?}"));
    }
    for pod in pods {
        let pod = pod.again(sample, &[], &secrets)?;
        in_the_end(|| has_its_tags(&pod))?;
        pod.stop()?;
    }
    Ok(count)
}

/// A certificate and tokens: who has none is refused, who has a token is served under TLS.
fn guarded(url: &str) -> Outcome {
    let folder = project::target().join("release/chart-secrets");
    files::remove_dir(&folder)?;
    files::make_dir(&folder)?;
    let token = token(&folder)?;
    certificate(&folder)?;
    let read = |name: &str| files::read(&folder.join(name));
    let secrets: [Secret; 3] = [
        ("leafid-store", vec![("url", url.to_owned())]),
        ("leafid-tokens", vec![("tokens.toml", read("tokens.toml")?)]),
        ("leafid-tls", vec![("tls.crt", read("tls.crt")?), ("tls.key", read("tls.key")?)]),
    ];
    let pod = Pod::start("chart", "guarded-values.yaml", &[CREATE], &secrets)?;
    let url = format!("https://{}", pod.without);
    let words = ["next", "orders", "--count", "3"];
    let ca = ("LEAFID_CA", "/etc/leafid-tls/tls.crt");
    same("1\n2\n3\n", &in_the_end(|| pod.client(&words, &url, &[ca, ("LEAFID_TOKEN", &token)]))?)?;
    let refused = pod.client(&words, &url, &[ca]);
    if !refused.as_ref().is_err_and(|why| why.contains("UNAUTHORIZED")) {
        return Err(format!("a client without a token is not refused: {refused:?}"));
    }
    let refused = pod.exec(&words, &[]);
    if !refused.as_ref().is_err_and(|why| why.contains("UNAUTHORIZED")) {
        return Err(format!("a verb within the pod without a token is not refused: {refused:?}"));
    }
    pod.stop().map(drop)
}

fn together(count: usize, start: impl Fn(&str) -> Outcome<Pod> + Sync) -> Outcome<Vec<Pod>> {
    thread::scope(|scope| {
        let start = &start;
        let names = (0..count).map(|number| format!("chart-{number}"));
        let begun: Vec<_> = names.map(|name| scope.spawn(move || start(&name))).collect();
        let ended = begun.into_iter().map(|one| one.join().unwrap_or(Err("a panic".to_owned())));
        ended.collect()
    })
}

fn has_its_tags(pod: &Pod) -> Outcome {
    pod.exec(&["health"], &[])?;
    let tags = pod.exec(&["tag", "list"], &[])?;
    if tags.contains("orders") && tags.contains("tenant:*") { Ok(()) } else { Err(tags) }
}

fn same(wanted: &str, found: &str) -> Outcome {
    if wanted == found { Ok(()) } else { Err(format!("{found:?} instead of {wanted:?}")) }
}

/// Makes the file of tokens, as an operator does; the token.
fn token(folder: &std::path::Path) -> Outcome<String> {
    let words = ["token", "create", "ci", "--json", "--tokens"];
    let leafid = Stage::binary()?;
    let said = Run::new(leafid).quiet().args(words).arg(folder.join("tokens.toml")).output()?;
    let made: serde_json::Value =
        serde_json::from_str(&said).map_err(|error| format!("`{said}`: {error}"))?;
    made["token"].as_str().map(str::to_owned).ok_or(format!("no token in `{said}`"))
}

fn certificate(folder: &std::path::Path) -> Outcome {
    Run::new("openssl")
        .args(["req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes"])
        .args(["-days", "2", "-subj", "/CN=r-leafid", "-keyout", "tls.key", "-out", "tls.crt"])
        .args(["-addext", "subjectAltName=DNS:r-leafid,IP:127.0.0.1"])
        .args(["-addext", "basicConstraints=critical,CA:FALSE"])
        .quiet()
        .dir(folder)
        .output()
        .map(drop)
}
