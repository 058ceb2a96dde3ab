//! The texts of `sql` for stores in JavaScript: as a module per dialect that is compiled with the others,
//! and as the files by which a D1 database is made and raised.

use std::path::Path;

use serde_json::{Map, Value, json};

use crate::{Outcome, files, project};

/// A dialect, in the folder of `sql` with its name.
struct Dialect {
    name: &'static str,
    /// The folders of texts that are wanted: each text is known by the name of its file alone.
    folders: &'static [&'static str],
    /// A folder whose texts stand beside those, for they have names of those.
    apart: Option<&'static str>,
    /// Where the compiler finds them. Git ignores it.
    module: &'static str,
}

const SQLITE: Dialect = Dialect {
    name: "sqlite",
    folders: &["rows", "lookups", "hosts"],
    apart: None,
    module: "bindings-js/src/sql/texts.ts",
};

/// Apart from SQLite's: a Worker needs none of them.
const REMOTE: [Dialect; 2] = [
    Dialect {
        name: "postgres",
        folders: &["rows", "lookups", "meta"],
        apart: None,
        module: "bindings-js/src/databases/postgres-texts.ts",
    },
    Dialect {
        name: "mysql",
        folders: &["rows", "lookups", "meta"],
        apart: Some("leaf"),
        module: "bindings-js/src/databases/mysql-texts.ts",
    },
];

/// What there is of texts.
struct Texts {
    schema: String,
    /// By the version that each leads to.
    migrations: Vec<(u64, String)>,
    others: Map<String, Value>,
}

/// Writes the modules.
pub fn modules() -> Outcome {
    for dialect in [&SQLITE, &REMOTE[0], &REMOTE[1]] {
        let Texts { schema, migrations, others } = texts(dialect)?;
        let version = version(dialect, &migrations)?;
        let mut text = format!(
            "// Written by the build from `sql/{}`.\n\
             export const VERSION = {version}\n\
             export const SCHEMA = {}\n\
             export const MIGRATIONS: readonly (readonly [number, string])[] = {}\n\
             export const TEXTS = {} as const\n",
            dialect.name,
            json!(schema),
            json!(migrations),
            Value::Object(others),
        );
        if let Some(apart) = dialect.apart {
            let name = apart.to_uppercase();
            let texts = Value::Object(folders(dialect, &[apart])?);
            text += &format!("export const {name} = {texts} as const\n");
        }
        files::write(&project::at(dialect.module), text)?;
    }
    Ok(())
}

/// Writes the files for D1 into the staged package.
pub fn for_d1(stage: &Path) -> Outcome {
    let Texts { schema, migrations, others } = texts(&SQLITE)?;
    let version = version(&SQLITE, &migrations)?;
    let text = |name: &str| others.get(name).and_then(Value::as_str).unwrap_or_default();
    let set = |version: u64| text("version_set").replace(":version", &version.to_string());
    let whole = [schema.as_str(), text("version"), text("make"), &set(version)].join("\n\n");
    files::write(&stage.join("sql/d1.sql"), whole + "\n")?;
    for (to, raise) in &migrations {
        files::write(
            &stage.join(format!("sql/d1-{to}.sql")),
            format!("{raise}\n\n{}\n", set(*to)),
        )?;
    }
    Ok(())
}

fn texts(dialect: &Dialect) -> Outcome<Texts> {
    let folder = project::at("sql").join(dialect.name);
    let mut migrations = Vec::new();
    for file in files::ending(&folder.join("migrations"), ".sql") {
        let name = file.file_stem().unwrap_or_default().to_string_lossy();
        let to = name.parse().map_err(|_| format!("`{}` names no version", files::shown(&file)))?;
        migrations.push((to, bare(&files::read(&file)?)));
    }
    migrations.sort();
    let schema = bare(&files::read(&folder.join("schema.sql"))?);
    Ok(Texts { schema, migrations, others: folders(dialect, dialect.folders)? })
}

/// The texts of these folders by their names.
fn folders(dialect: &Dialect, folders: &[&str]) -> Outcome<Map<String, Value>> {
    let mut texts = Map::new();
    for folder in folders {
        let folder = project::at("sql").join(dialect.name).join(folder);
        for file in files::ending(&folder, ".sql") {
            let name = file.file_stem().unwrap_or_default().to_string_lossy().into_owned();
            texts.insert(name, Value::String(bare(&files::read(&file)?)));
        }
    }
    Ok(texts)
}

/// The version of the schema: the one that the last migration leads to.
fn version(dialect: &Dialect, migrations: &[(u64, String)]) -> Outcome<u64> {
    let last = migrations.last().map(|(to, _)| *to);
    last.ok_or_else(|| format!("no migration in `sql/{}`, so no version", dialect.name))
}

/// A text without its comments: a Worker loads it with every start.
fn bare(text: &str) -> String {
    let lines = text.lines().filter(|line| !line.trim_start().starts_with("--"));
    lines.filter(|line| !line.trim().is_empty()).collect::<Vec<_>>().join("\n")
}

#[cfg(test)]
mod tests {
    use super::{REMOTE, SQLITE, bare, texts, version};
    use crate::{files, project};

    #[test]
    fn comments_go_and_statements_stay() {
        assert_eq!(bare("-- why\nSELECT a\n    -- also\nFROM b;\n\n"), "SELECT a\nFROM b;");
    }

    #[test]
    fn the_version_is_the_servers() -> Result<(), String> {
        for (dialect, server) in [
            (&SQLITE, "sqlite/file/version.rs"),
            (&REMOTE[0], "remote/version.rs"),
            (&REMOTE[1], "remote/version.rs"),
        ] {
            let version = version(dialect, &texts(dialect)?.migrations)?;
            let server = files::read(&project::at("server/src/backends").join(server))?;
            assert!(server.contains(&format!("pub const VERSION: i64 = {version};")), "{version}");
        }
        Ok(())
    }
}
