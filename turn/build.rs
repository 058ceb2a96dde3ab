//! Lists the texts: a file that is added is there without being named a second time.

use std::path::{Path, PathBuf};
use std::{env, fs, io};

/// The dialects: the folder, and what it is called in sentences.
const DIALECTS: [(&str, &str); 3] =
    [("sqlite", "SQLite"), ("postgres", "PostgreSQL"), ("mysql", "MySQL and MariaDB")];

fn main() -> io::Result<()> {
    let root = PathBuf::from(env::var_os("CARGO_MANIFEST_DIR").unwrap_or_default());
    let mut list = String::new();
    for (folder, called) in DIALECTS {
        println!("cargo::rerun-if-changed={folder}");
        let mut texts = Vec::new();
        gather(&root.join(folder), "", &mut texts)?;
        texts.sort();
        list += &dialect(folder, called, &texts);
    }
    let out = PathBuf::from(env::var_os("OUT_DIR").unwrap_or_default());
    fs::write(out.join("texts.rs"), list)
}

/// The constants of a dialect.
fn dialect(folder: &str, called: &str, texts: &[(String, PathBuf)]) -> String {
    let name = folder.to_uppercase();
    let mut list = format!(
        "/// The texts of {called} by their names, such as `schema` and `rows/tag`.\n\
         pub const {name}: &[(&str, &str)] = &[\n"
    );
    for (name, path) in texts {
        list += &format!("    ({name:?}, include_str!({path:?})),\n");
    }
    list + "];\n"
}

/// Every text below a folder, by its name without `.sql`.
fn gather(folder: &Path, within: &str, texts: &mut Vec<(String, PathBuf)>) -> io::Result<()> {
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        let name = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        if path.is_dir() {
            gather(&path, &format!("{within}{name}/"), texts)?;
        } else if path.extension().is_some_and(|end| end == "sql") {
            texts.push((format!("{within}{name}"), path));
        }
    }
    Ok(())
}
