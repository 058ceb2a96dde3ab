//! The npm packages: builds the main one, which `npm.mjs` stages, and packs all.

use std::path::{Path, PathBuf};

use std::fmt::Write as _;

use leafid_core::Code;
use leafid_turn::sql::errors::{self, Kind};
use leafid_turn::sql::{LEAF, MYSQL, POSTGRES, SQLITE, Texts, VERSION};
use serde_json::{Map, Value, json};

use super::{node, server_binary, wasm};
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

/// Packs the program for this machine, and what runs it there.
pub fn server() -> Outcome<PathBuf> {
    let platform = program_for(project::npm_platform());
    pack_program(&platform, &server_binary(), &project::dist())?;
    pack_server(&[platform], &project::dist())
}

/// The platform of a program, which needs no C library, where an add-on has this one.
pub fn program_for(platform: &str) -> String {
    platform.trim_end_matches("-gnu").trim_end_matches("-musl").to_owned()
}

/// Packs the program for a platform into a folder.
pub fn pack_program(platform: &str, program: &Path, to: &Path) -> Outcome<PathBuf> {
    pack_for(platform, "leafid-server", "The program `leafid`", program, to)
}

/// Packs what runs the program on these platforms into a folder.
pub fn pack_server(platforms: &[String], to: &Path) -> Outcome<PathBuf> {
    let version = project::VERSION;
    let stage = project::target().join("npm/stage/leafid-server");
    files::remove(&stage)?;
    let manifest = files::read(&project::at("server/npm/package.json"))?.replace("0.0.0", version);
    let mut manifest: Value = serde_json::from_str(&manifest).map_err(|error| error.to_string())?;
    let programs = platforms.iter().map(|name| (format!("leafid-server-{name}"), version.into()));
    manifest["optionalDependencies"] = programs.collect::<Map<_, _>>().into();
    files::write(&stage.join("package.json"), manifest.to_string())?;
    files::install(&project::at("server/npm/leafid.js"), &stage.join("leafid.js"))?;
    files::install(&project::at("server/README.md"), &stage.join("README.md"))?;
    licences(&stage)?;
    pack(&stage, to)
}

/// Packs a file as a package for one platform alone into a folder.
pub fn pack_for(platform: &str, of: &str, what: &str, file: &Path, to: &Path) -> Outcome<PathBuf> {
    let mut words = platform.split('-');
    let (system, cpu) = (words.next(), words.next());
    let libc = words.next().map(|libc| if libc == "gnu" { "glibc" } else { libc });
    let name = file.file_name().unwrap_or_default().to_string_lossy();
    let mut manifest = json!({
        "name": format!("{of}-{platform}"),
        "version": project::VERSION,
        "description": format!("{what}, for {platform}"),
        "license": "(MIT OR Apache-2.0)",
        "repository": { "type": "git", "url": "git+https://github.com/leafid/leafid.git" },
        "type": "commonjs",
        "main": name,
        "files": [name, "LICENSE-*"],
        "os": [system],
        "cpu": [cpu],
        "engines": { "node": ">=20.19" },
    });
    if let Some(libc) = libc.filter(|_| system == Some("linux")) {
        manifest["libc"] = json!([libc]);
    }
    let stage = project::target().join("npm/stage").join(format!("{of}-{platform}"));
    files::remove(&stage)?;
    files::write(&stage.join("package.json"), manifest.to_string())?;
    files::install(file, &stage.join(&*name))?;
    licences(&stage)?;
    pack(&stage, to)
}

/// Packs a staged package into a folder.
pub fn pack(stage: &Path, folder: &Path) -> Outcome<PathBuf> {
    files::make_dir(folder)?;
    let words = ["pack", "--ignore-scripts", "--loglevel", "error", "--pack-destination"];
    let said = Run::new("npm").args(words).arg(folder).dir(stage).output()?;
    Ok(folder.join(said.lines().last().unwrap_or_default()))
}
