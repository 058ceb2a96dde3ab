//! The npm packages: builds the main one, which `npm.mjs` stages, and packs all.

use std::path::{Path, PathBuf};

use std::fmt::Write as _;

use leafid_core::Code;
use leafid_turn::sql::errors::{self, Kind};
use leafid_turn::sql::{LEAF, MYSQL, POSTGRES, SQLITE, Texts, VERSION};
use serde_json::{Map, Value, json};

use super::{node, wasm};
use crate::process::Run;
use crate::{Outcome, files, project};

/// The modules of TypeScript that git ignores, and what they export.
fn modules() -> [(&'static str, Vec<(&'static str, Value)>); 4] {
    let codes: Vec<_> = Code::ALL.iter().map(|code| code.as_str()).collect();
    [
        ("values/codes.ts", vec![("CODES", json!(codes))]),
        ("sql/texts.ts", vec![("TEXTS", listed(&SQLITE))]),
        (
            "databases/postgres-texts.ts",
            vec![("TEXTS", listed(&POSTGRES)), ("KINDS", kinds(errors::POSTGRES))],
        ),
        (
            "databases/mysql-texts.ts",
            vec![
                ("TEXTS", listed(&MYSQL)),
                ("LEAF", listed(&LEAF)),
                ("KINDS", kinds(errors::MYSQL)),
            ],
        ),
    ]
}

/// Stages and packs the main package, once the wasm and the native engine are built.
pub fn build() -> Outcome<PathBuf> {
    let stage = project::target().join("npm/stage/leafid");
    self::stage(&stage, &[])?;
    pack(&stage, &project::dist())
}

/// Stages the main package with the engines of these platforms instead of this machine's.
pub fn stage(stage: &Path, engines: &[&str]) -> Outcome {
    for (module, exports) in modules() {
        let mut text =
            format!("// Written by the build.\nexport const VERSION = {VERSION} as const\n");
        for (name, value) in exports {
            let _ = writeln!(text, "export const {name} = {value} as const");
        }
        files::write(&project::at("bindings-js/src").join(module), text)?;
    }
    Run::new("node")
        .args(["xtask/src/build/npm.mjs", project::VERSION])
        .args([stage, &wasm::folder(), &node::types()])
        .args(engines)
        .done()?;
    let d1 = ["schema", "version", "make", "version_set"].map(|name| SQLITE.text(name).sql);
    let d1 = d1.join(";\n\n").replace('?', &VERSION.to_string());
    files::write(&stage.join("sql/d1.sql"), format!("{d1};\n")).map(drop)
}

/// A dialect's texts as JavaScript: `{ NAME: { sql, names }, … }`.
fn listed(texts: &Texts) -> Value {
    let text = |(name, text): &(&str, leafid_turn::sql::Text)| {
        ((*name).to_owned(), json!({ "sql": text.sql, "names": text.names }))
    };
    texts.all.iter().map(text).collect::<Map<_, _>>().into()
}

/// The kinds of a database's errors as JavaScript: `{ CODE: KIND, … }`.
fn kinds<C: ToString>(table: &[(Kind, &[C])]) -> Value {
    let mut all = Map::new();
    for (kind, codes) in table {
        all.extend(codes.iter().map(|code| (code.to_string(), kind.word().into())));
    }
    all.into()
}

/// Copies both licences into a staged package.
pub fn licences(stage: &Path) -> Outcome {
    let copy = |name: &str| files::install(&project::at(name), &stage.join(name));
    ["LICENSE-APACHE", "LICENSE-MIT"].into_iter().try_for_each(copy)
}

/// Packs a staged package into a folder.
pub fn pack(stage: &Path, folder: &Path) -> Outcome<PathBuf> {
    files::make_dir(folder)?;
    let words = ["pack", "--ignore-scripts", "--loglevel", "error", "--pack-destination"];
    let said = Run::new("npm").args(words).arg(folder).dir(stage).output()?;
    Ok(folder.join(said.lines().last().unwrap_or_default()))
}
