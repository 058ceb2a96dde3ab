//! The workflows, as their linter reads them, and what they ask of this program.

use super::{programs, targets};
use crate::{Outcome, files, project, verbs};

const FOLDER: &str = ".github/workflows";
const RELEASE: &str = "release.yml";

/// All of them.
pub fn look() -> Outcome<String> {
    let all = files::ending(&project::at(FOLDER), ".yml");
    if all.is_empty() {
        return Err(format!("no workflow in `{FOLDER}`"));
    }
    programs::actionlint()?.args(&all).done()?;
    let mut count = 0;
    for file in &all {
        let text = files::read(file)?;
        for command in commands(&text) {
            known(&command).map_err(|why| format!("`{}`: {why}", files::shown(file)))?;
            count += 1;
        }
    }
    let release = files::read(&project::at(FOLDER).join(RELEASE))?;
    let engines = targets::ALL.iter().map(|target| format!("leafid-{}", target.npm));
    let asked: Vec<_> = release.split_whitespace().collect();
    if let Some(name) = engines.into_iter().find(|name| !asked.contains(&name.as_str())) {
        return Err(format!("`{RELEASE}` does not ask whether npm has `{name}`"));
    }
    Ok(format!("{} workflows linted, not run; they have {count} verbs of this program", all.len()))
}

/// The words after each `cargo xtask`.
fn commands(text: &str) -> Vec<Vec<&str>> {
    let rest = text.lines().filter(|line| !line.trim_start().starts_with('#'));
    let rest = rest.filter_map(|line| Some(line.split_once("cargo xtask ")?.1));
    rest.map(|line| line.split(';').next().unwrap_or(line).split_whitespace().collect()).collect()
}

fn known(words: &[&str]) -> Outcome {
    let verb = words.first().copied().unwrap_or_default();
    if !verbs::names().contains(&verb) {
        return Err(format!("there is no `cargo xtask {verb}`"));
    }
    let part = words.windows(2).find(|pair| pair[0] == "--only").map(|pair| pair[1]);
    match part {
        Some(part) if verb == "release" && !part.contains('$') => super::part(part).map(drop),
        _ => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::{commands, known};

    #[test]
    fn a_verb_or_part_that_is_gone_is_found() {
        let text = "- run: cargo xtask release --only sums\n# cargo xtask none\n\
                    run: for part in $PARTS; do cargo xtask release --only \"$part\" --target x; done";
        let all = commands(text);
        assert_eq!(all.len(), 2);
        assert!(all.iter().all(|words| known(words).is_ok()), "{all:?}");
        assert!(known(&["relaese"]).is_err());
        assert!(known(&["release", "--only", "suns"]).is_err());
    }
}
