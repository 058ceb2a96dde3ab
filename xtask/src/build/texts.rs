//! The texts of `sql/sqlite` for stores in JavaScript: as a module that is compiled with the others, and
//! as the files by which a D1 database is made and raised.

use std::path::Path;

use serde_json::{Map, Value, json};

use crate::{Outcome, files, project};

/// Where the texts stand, one per file.
const SOURCES: &str = "sql/sqlite";
/// Where the compiler finds them. Git ignores it.
const MODULE: &str = "bindings-js/src/sql/texts.ts";

/// What there is of texts.
struct Texts {
    schema: String,
    /// By the version that each leads to.
    migrations: Vec<(u64, String)>,
    others: Map<String, Value>,
}

/// Writes the module.
pub fn module() -> Outcome {
    let Texts { schema, migrations, others } = texts()?;
    let version = version(&migrations)?;
    let text = format!(
        "// Written by the build from `{SOURCES}`.\n\
         export const VERSION = {version}\n\
         export const SCHEMA = {}\n\
         export const MIGRATIONS: readonly (readonly [number, string])[] = {}\n\
         export const TEXTS = {} as const\n",
        json!(schema),
        json!(migrations),
        Value::Object(others),
    );
    files::write(&project::at(MODULE), text)?;
    Ok(())
}

/// Writes the files for D1 into the staged package.
pub fn for_d1(stage: &Path) -> Outcome {
    let Texts { schema, migrations, others } = texts()?;
    let version = version(&migrations)?;
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

fn texts() -> Outcome<Texts> {
    let mut others = Map::new();
    for folder in ["rows", "lookups", "hosts"] {
        for file in files::ending(&project::at(SOURCES).join(folder), ".sql") {
            let name = file.file_stem().unwrap_or_default().to_string_lossy().into_owned();
            others.insert(name, Value::String(bare(&files::read(&file)?)));
        }
    }
    let mut migrations = Vec::new();
    for file in files::ending(&project::at(SOURCES).join("migrations"), ".sql") {
        let name = file.file_stem().unwrap_or_default().to_string_lossy();
        let to = name.parse().map_err(|_| format!("`{}` names no version", files::shown(&file)))?;
        migrations.push((to, bare(&files::read(&file)?)));
    }
    migrations.sort();
    let schema = bare(&files::read(&project::at(SOURCES).join("schema.sql"))?);
    Ok(Texts { schema, migrations, others })
}

/// The version of the schema: the one that the last migration leads to.
fn version(migrations: &[(u64, String)]) -> Outcome<u64> {
    let last = migrations.last().map(|(to, _)| *to);
    last.ok_or_else(|| format!("no migration in `{SOURCES}`, so no version"))
}

/// A text without its comments: a Worker loads it with every start.
fn bare(text: &str) -> String {
    let lines = text.lines().filter(|line| !line.trim_start().starts_with("--"));
    lines.filter(|line| !line.trim().is_empty()).collect::<Vec<_>>().join("\n")
}

#[cfg(test)]
mod tests {
    use super::{bare, texts, version};
    use crate::{files, project};

    #[test]
    fn comments_go_and_statements_stay() {
        assert_eq!(bare("-- why\nSELECT a\n    -- also\nFROM b;\n\n"), "SELECT a\nFROM b;");
    }

    #[test]
    fn the_version_is_the_servers() -> Result<(), String> {
        let version = version(&texts()?.migrations)?;
        let server = files::read(&project::at("server/src/backends/sqlite/file/open.rs"))?;
        assert!(server.contains(&format!("pub const VERSION: i64 = {version};")), "{version}");
        Ok(())
    }
}
