//! Lists the texts: a file that is added is there without being named a second time, and the last
//! migration says of which version the tables are.

use std::path::{Path, PathBuf};
use std::{env, fs, io};

fn main() -> io::Result<()> {
    let root = PathBuf::from(env::var_os("CARGO_MANIFEST_DIR").unwrap_or_default());
    let sqlite = root.join("sqlite");
    println!("cargo::rerun-if-changed=sqlite");
    let mut texts = Vec::new();
    gather(&sqlite, "", &mut texts)?;
    texts.sort();
    let numbers =
        texts.iter().filter_map(|(name, _)| name.strip_prefix("migrations/")?.parse().ok());
    let version: i64 = numbers.max().unwrap_or(1);
    let mut list = format!(
        "/// Of which version SQLite's tables are.\npub const SQLITE_VERSION: i64 = {version};\n\
         /// SQLite's texts by their names, such as `schema` and `rows/tag`.\n\
         pub const SQLITE: &[(&str, &str)] = &[\n"
    );
    for (name, path) in &texts {
        list += &format!("    ({name:?}, include_str!({path:?})),\n");
    }
    list += "];\n";
    let out = PathBuf::from(env::var_os("OUT_DIR").unwrap_or_default());
    fs::write(out.join("texts.rs"), list)
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
