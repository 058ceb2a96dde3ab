//! The crates that are published: packed, with each of their features, their interface, and the oldest
//! dependencies that they allow.

use crate::check::arrows;
use crate::process::Run;
use crate::report::Report;
use crate::{Outcome, files, project, tools};

/// What the interface of `leafid` may name: Rust's own, ours, and the crates for whose traits `Id` has features.
const MEANT: &str = "alloc core i64 std leafid leafid_core leafid_turn leafid_wire diesel sea_orm sea_query serde_core \
                     sqlx_core";

/// A program on `leafid` without features: the failure names the one that a store needs, and no password.
const WITHOUT_FEATURES: &str = r#"
fn main() {
    for (url, feature) in [
        ("http://u:s3cret@h", "http"),
        ("https://h", "http"),
        ("sqlite:ids.db", "sqlite"),
        ("postgres://u:s3cret@h/d", "sql"),
        ("mysql://u:s3cret@h/d", "sql"),
    ] {
        let refused = leafid::Segment::builder("orders").store(url).build().unwrap_err();
        assert_eq!(refused.code(), leafid::Code::NotEnabled, "{refused}");
        let said = refused.to_string();
        assert!(said.ends_with(&format!("cargo add leafid --features {feature}")), "{said}");
        assert!(!said.contains("s3cret"), "{said}");
    }
    let refused = leafid::Store::open("ftp://h").unwrap_err();
    assert_eq!(refused.code(), leafid::Code::RequestInvalid, "{refused}");
}
"#;

/// Packs every crate in the order of their dependencies, and builds each as it is packed; makes their pages; checks each
/// without features, and with each feature alone, and that its licenses are in it.
pub fn packed() -> Outcome<String> {
    Run::cargo(&["publish", "--workspace", "--dry-run", "--locked"]).done()?;
    let packages = packages()?;
    // As docs.rs makes the pages, but a link that leads nowhere is an error.
    Run::cargo(&["doc", "--locked", "--no-deps", "--all-features", "--lib"])
        .args(packages.iter().flat_map(|(name, _)| ["-p", name]))
        .env("RUSTDOCFLAGS", "-D warnings")
        .done()?;
    for (name, features) in &packages {
        let files = Run::cargo(&["package", "--locked", "--list", "-p", name]).output()?;
        for license in ["LICENSE-APACHE", "LICENSE-MIT"] {
            if files.lines().all(|file| file != license) {
                return Err(format!("`{name}` has no `{license}`: link it there"));
            }
        }
        for feature in features.iter().map(String::as_str).chain([""]) {
            let check = ["check", "--locked", "--quiet", "-p", name, "--no-default-features"];
            Run::cargo(&check).args(["--features", feature]).done()?;
        }
    }
    without_features()?;
    Ok(format!("{} crates, packed and built, and with each feature alone", packages.len()))
}

/// Runs the program on `leafid` without features. It is no test of that crate, whose tests have its features.
fn without_features() -> Outcome {
    Run::cargo(&["build", "--locked", "--quiet", "-p", "leafid", "--no-default-features"])
        .done()?;
    let built = project::target().join("debug");
    let (source, program) = (built.join("without_features.rs"), built.join("without_features"));
    files::write(&source, WITHOUT_FEATURES)?;
    let (leafid, others) = (built.join("libleafid.rlib"), built.join("deps"));
    Run::new("rustc")
        .args(["--edition", "2024", "--extern", &format!("leafid={}", leafid.display())])
        .args(["-L", &format!("dependency={}", others.display()), "-o"])
        .args([&program, &source])
        .done()?;
    Run::new(program).done()
}

/// Checks that the interface of `leafid` has no types of other crates than those that are meant, and that no crate has
/// lost anything since the last release.
pub fn interface() -> Outcome<Report> {
    // The compiler's own version of the format, without a second compiler.
    let document = ["rustdoc", "--locked", "-p", "leafid", "--all-features", "--lib", "--"];
    unstable(&document).args(["-Z", "unstable-options", "--output-format", "json"]).done()?;
    let list = tools::crates_io("cargo-public-api", "0.52.0")?;
    let json = project::target().join("unstable/doc/leafid.json");
    let listed = Run::new(list).args(["-sss", "--rustdoc-json"]).arg(json).output()?;
    let foreign = foreign(&listed);
    if !foreign.is_empty() {
        let lines = foreign.join("\n");
        return Err(format!("the interface of `leafid` has foreign types:\n{lines}"));
    }
    let mut report = Report::from(format!("{} public items of leafid", listed.lines().count()));
    let newest = ["describe", "--tags", "--abbrev=0", "--match", "v[0-9]*"];
    let tag = Run::new("git").quiet().args(newest).listen()?;
    if tag.success {
        let compare = tools::crates_io("cargo-semver-checks", "0.51.0")?;
        let words = ["semver-checks", "--workspace", "--baseline-rev", tag.stdout.trim()];
        Run::new(compare).args(words).env("CARGO_TARGET_DIR", project::target()).done()?;
        report.note += &format!("; nothing lost since {}", tag.stdout.trim());
    } else {
        report.skip(
            "NOT RUN  semver-checks: no tag `v…` to compare with (no release, or a shallow clone)",
        );
    }
    Ok(report)
}

/// The lines that name types of crates that are not meant.
fn foreign(listed: &str) -> Vec<&str> {
    let is_word = |letter: char| letter.is_alphanumeric() || matches!(letter, '_' | ':');
    let is_foreign = |path: &str| {
        let root = path.split_once("::").map_or("", |(root, _)| root);
        // Parameters begin with a capital letter.
        root.starts_with(|letter: char| letter.is_lowercase())
            && MEANT.split(' ').all(|meant| meant != root)
    };
    let named = |line: &&str| line.split(|letter| !is_word(letter)).any(is_foreign);
    listed.lines().filter(named).collect()
}

/// Checks the crates with the oldest versions of their dependencies that they allow, in a lock file of its own.
pub fn minimal() -> Outcome<Report> {
    let lock = project::target().join("unstable/minimal/Cargo.lock");
    files::make_dir(lock.parent().unwrap_or(&lock))?;
    let place = format!("resolver.lockfile-path = '{}'", lock.display());
    let beside = ["-Z", "lockfile-path", "-Z", "direct-minimal-versions", "--config", &place];
    unstable(&beside).arg("generate-lockfile").done()?;
    let (check, packages) = (["check", "--locked", "--all-features"], packages()?);
    let names = packages.iter().flat_map(|(name, _)| ["-p", name]);
    unstable(&beside).args(check).args(names).done()?;
    Ok(format!("{} crates with the oldest dependencies that they allow", packages.len()).into())
}

/// Cargo with what only its nightly version has, in a folder of its own: build scripts look at the variable.
fn unstable(words: &[&str]) -> Run {
    let folder = project::target().join("unstable");
    Run::cargo(words).env("RUSTC_BOOTSTRAP", "1").env("CARGO_TARGET_DIR", folder)
}

/// Each crate that is published, and its features.
fn packages() -> Outcome<Vec<(String, Vec<String>)>> {
    let metadata = arrows::metadata()?;
    let all = metadata["packages"].as_array().into_iter().flatten();
    let published = all.filter(|package| package["publish"].is_null()).map(|package| {
        let features = package["features"].as_object().into_iter().flatten();
        let name = package["name"].as_str().unwrap_or_default().to_owned();
        (name, features.map(|(feature, _)| feature.clone()).collect())
    });
    Ok(published.collect())
}

#[cfg(test)]
mod tests {
    use super::foreign;

    #[test]
    fn only_meant_crates_are_in_the_interface() {
        let meant = "pub fn leafid::Generator<K>::next_async(&self) -> impl core::future::Future<Output = T::Item>";
        let wrong = "pub fn leafid::Store::on(tokio::runtime::Handle) -> leafid::Store";
        assert_eq!(foreign(&format!("{meant}\n{wrong}")), [wrong]);
    }
}
