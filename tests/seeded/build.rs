//! Copies the core's sources, and applies the edits of `bugs.txt` to the copy.

use std::collections::BTreeMap;
use std::error::Error;
use std::path::{Path, PathBuf};
use std::{env, fs};

/// The word in `bugs.txt` for "this bug is on".
const SWITCH: &str = "BUG";

/// Lines of a file of the core, and their replacement.
#[derive(Default)]
struct Edit {
    file: String,
    found: Vec<String>,
    put: Vec<String>,
}

fn main() -> Result<(), Box<dyn Error>> {
    let here = PathBuf::from(env::var("CARGO_MANIFEST_DIR")?);
    let out = PathBuf::from(env::var("OUT_DIR")?);
    let core = here.join("../../core/src");
    println!("cargo::rerun-if-changed={}", core.display());
    println!("cargo::rerun-if-changed=bugs.txt");
    let (list, edits) = parse(&fs::read_to_string(here.join("bugs.txt"))?)?;
    let mut files = BTreeMap::new();
    read(&core, &core, &mut files)?;
    for edit in &edits {
        let text = files.get_mut(&edit.file).ok_or_else(|| format!("no file `{}`", edit.file))?;
        *text = edited(text, edit)?;
    }
    for (name, text) in &files {
        let path = out.join("core").join(name);
        fs::create_dir_all(path.parent().unwrap_or(&out))?;
        // An included file cannot have attributes and documentation of the crate.
        let whole = text.find("\nmod ").filter(|_| name == "lib.rs").unwrap_or(0);
        fs::write(path, text.get(whole..).unwrap_or_default())?;
    }
    fs::write(out.join("list.rs"), format!("seeded! {{\n{list}}}\n"))?;
    Ok(())
}

/// Reads the bugs, for the macro that lists them, and their edits.
fn parse(text: &str) -> Result<(String, Vec<Edit>), Box<dyn Error>> {
    let (mut list, mut edits) = (String::new(), Vec::<Edit>::new());
    let mut switch = String::new();
    for line in text.lines() {
        let last = edits.last_mut();
        match (line.get(..1), line.get(2..).unwrap_or_default().trim(), last) {
            (None | Some("#"), ..) => {}
            (Some("@"), file, _) => edits.push(Edit { file: file.to_owned(), ..Edit::default() }),
            (Some("-"), found, Some(edit)) => edit.found.push(found.to_owned()),
            (Some("+"), put, Some(edit)) => edit.put.push(put.replace(SWITCH, &switch)),
            _ => {
                let (name, about) = line.split_once(": ").ok_or("a bug is `Name: sentence`")?;
                switch = format!("crate::bugs::on(crate::bugs::Bug::{name})");
                list += &format!("/// {about}\n{name},\n");
            }
        }
    }
    Ok((list, edits))
}

/// Replaces the lines of an edit, which must occur exactly once.
fn edited(text: &str, edit: &Edit) -> Result<String, String> {
    let lines: Vec<&str> = text.lines().collect();
    let same = |window: &[&str]| window.iter().zip(&edit.found).all(|(a, b)| a.trim() == b);
    let mut at =
        lines.windows(edit.found.len().max(1)).enumerate().filter(|(_, lines)| same(lines));
    let (Some((start, _)), None) = (at.next(), at.next()) else {
        return Err(format!("not once in `{}`:\n{}", edit.file, edit.found.join("\n")));
    };
    let (before, rest) = lines.split_at(start);
    let after = rest.get(edit.found.len()..).unwrap_or_default();
    let put = edit.put.iter().map(String::as_str);
    let all: Vec<&str> = before.iter().copied().chain(put).chain(after.iter().copied()).collect();
    Ok(all.join("\n") + "\n")
}

fn read(
    root: &Path,
    folder: &Path,
    files: &mut BTreeMap<String, String>,
) -> Result<(), Box<dyn Error>> {
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        if path.is_dir() {
            read(root, &path, files)?;
        } else {
            let name = path.strip_prefix(root)?.to_string_lossy().into_owned();
            files.insert(name, fs::read_to_string(&path)?);
        }
    }
    Ok(())
}
