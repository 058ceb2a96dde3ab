//! Makes the texts of each dialect from the files beside this one. A text that several dialects have is in
//! `common`, with marks where they differ; a file of the same name in a dialect's own folder stands for it.
//! Comments go, and each parameter `:name` becomes what the drivers take.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::{env, fs, io};

/// A dialect.
struct Dialect {
    name: &'static str,
    about: &'static str,
    /// The folders of its texts: a later one's replace those of the same name.
    folders: &'static [&'static str],
    /// Its column in [`MARKS`].
    marks: usize,
    /// The prefix of its tables' names.
    prefix: &'static str,
}

const DIALECTS: [Dialect; 4] = [
    Dialect {
        name: "SQLITE",
        about: "SQLite's, with `?` for each parameter.",
        folders: &["common", "sqlite"],
        marks: 0,
        prefix: "",
    },
    Dialect {
        name: "POSTGRES",
        about: "PostgreSQL's, with `$1` and so on: a write returns a row with the time for each row written.",
        folders: &["common", "postgres"],
        marks: POSTGRES,
        prefix: "",
    },
    Dialect {
        name: "MYSQL",
        about: "MySQL's and MariaDB's, with `?`: the frequent writes give the time as the last inserted id.",
        folders: &["common", "mysql"],
        marks: 2,
        prefix: "",
    },
    Dialect {
        name: "LEAF",
        about: "MySQL's where Leaf's own `leaf_alloc` keeps the tags, and our tables are called `leafid_…`.",
        folders: &["common", "mysql", "leaf"],
        marks: 2,
        prefix: "leafid_",
    },
];

/// The only dialect with numbered parameters.
const POSTGRES: usize = 1;

/// The meaning of each mark, such as `{same}`, in SQLite, PostgreSQL and MySQL. Besides, `{tags}` is a table's
/// name, and `{indexed NAME}` names the index to use, to SQLite alone: the others find it themselves.
const MARKS: [(&str, [&str; 3]); 11] = [
    // Compares values of which both may be null.
    ("same", ["IS", "IS NOT DISTINCT FROM", "<=>"]),
    ("true", ["1", "TRUE", "TRUE"]),
    ("false", ["0", "FALSE", "FALSE"]),
    // Columns whose names are reserved words in MySQL.
    ("key", ["key", "key", "`key`"]),
    ("until", ["until", "until", "`until`"]),
    // An INSERT does nothing if the row exists; MySQL's fails with a duplicate key.
    ("if_new", ["ON CONFLICT DO NOTHING", "ON CONFLICT DO NOTHING", ""]),
    // A statement that only finds a row: what it selects, and that others may not change the row until the
    // transaction ends. SQLite has one writer at a time.
    ("found", ["namespace", POSTGRES_NOW, MYSQL_NOW]),
    ("locked", ["", "FOR NO KEY UPDATE", "FOR UPDATE"]),
    // The time, in ms since 1970, and the three ways in which a statement that writes tells it.
    ("now", ["CAST(unixepoch('subsec') * 1000 AS INTEGER)", POSTGRES_NOW, MYSQL_NOW]),
    ("tells_now", ["", "RETURNING {now}", ""]),
    ("keeps_now", ["", "", " + 0 * LAST_INSERT_ID({now})"]),
];

const POSTGRES_NOW: &str = "floor(extract(epoch FROM clock_timestamp()) * 1000)::bigint";
const MYSQL_NOW: &str = "CAST(FLOOR(UNIX_TIMESTAMP(SYSDATE(3)) * 1000) AS SIGNED)";

const TABLES: [&str; 5] = ["meta", "tags", "namespaces", "workers", "servers"];

fn main() -> io::Result<()> {
    let root = PathBuf::from(env::var_os("CARGO_MANIFEST_DIR").unwrap_or_default());
    let mut list = String::new();
    for dialect in &DIALECTS {
        let mut texts = BTreeMap::new();
        for folder in dialect.folders {
            println!("cargo::rerun-if-changed={folder}");
            gather(&root.join(folder), &mut texts)?;
        }
        list += &format!(
            "/// {}\npub const {}: Texts = Texts {{\n    leaf: {},\n    all: &[\n",
            dialect.about,
            dialect.name,
            !dialect.prefix.is_empty()
        );
        for (name, text) in texts {
            let (sql, names) = text_of(dialect, &text)
                .map_err(|why| io::Error::other(format!("{}: `{name}`: {why}", dialect.name)))?;
            list += &format!("({name:?}, Text {{ sql: {sql:?}, names: &{names:?} }}),\n");
        }
        list += "    ],\n};\n";
    }
    let out = PathBuf::from(env::var_os("OUT_DIR").unwrap_or_default());
    fs::write(out.join("texts.rs"), list)
}

/// Every text below a folder, by the name of its file.
fn gather(folder: &Path, texts: &mut BTreeMap<String, String>) -> io::Result<()> {
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        if path.is_dir() {
            gather(&path, texts)?;
        } else if path.extension().is_some_and(|end| end == "sql") {
            let name = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
            texts.insert(name, fs::read_to_string(path)?);
        }
    }
    Ok(())
}

/// A text in a dialect, and the names of its parameters in the order of their values.
fn text_of(dialect: &Dialect, text: &str) -> Result<(String, Vec<String>), String> {
    let is_code = |line: &&str| !line.trim_start().starts_with("--");
    let text: Vec<&str> = text.lines().filter(is_code).collect();
    let text = marked(dialect, text.join("\n").trim().trim_end_matches(';'))?;
    // A mark that stands for nothing leaves blanks.
    let lines: Vec<&str> =
        text.lines().map(str::trim_end).filter(|line| !line.is_empty()).collect();
    Ok(numbered(dialect, &lines.join("\n")))
}

/// Replaces the marks, also those in what a mark stands for.
fn marked(dialect: &Dialect, text: &str) -> Result<String, String> {
    let Some((before, rest)) = text.split_once('{') else { return Ok(text.to_owned()) };
    let (mark, after) = rest.split_once('}').ok_or("a mark does not end")?;
    let known = MARKS.iter().find(|(name, _)| *name == mark);
    let stands = match (known, mark.strip_prefix("indexed ")) {
        (Some((_, stands)), _) => marked(dialect, stands[dialect.marks])?,
        (_, Some(index)) if dialect.name == "SQLITE" => format!(" INDEXED BY {index}"),
        (_, Some(_)) => String::new(),
        _ if TABLES.contains(&mark) => format!("{}{mark}", dialect.prefix),
        _ => return Err(format!("unknown mark `{mark}`")),
    };
    Ok(format!("{before}{stands}{}", marked(dialect, after)?))
}

/// Replaces the parameters; `::` is a cast. A number may be used again, a `?` may not.
fn numbered(dialect: &Dialect, text: &str) -> (String, Vec<String>) {
    let (mut sql, mut names) = (String::new(), Vec::new());
    let mut parts = text.split(':');
    sql += parts.next().unwrap_or_default();
    for part in parts {
        let end = part.find(|c: char| !c.is_ascii_lowercase() && c != '_').unwrap_or(part.len());
        let (name, rest) = part.split_at(end);
        if name.is_empty() || sql.ends_with(':') {
            sql += ":";
            sql += part;
            continue;
        }
        let known = names.iter().position(|known| known == name);
        if dialect.marks == POSTGRES {
            let at = known.unwrap_or(names.len());
            sql += &format!("${}", at + 1);
        } else {
            sql += "?";
        }
        if dialect.marks != POSTGRES || known.is_none() {
            names.push(name.to_owned());
        }
        sql += rest;
    }
    (sql, names)
}
