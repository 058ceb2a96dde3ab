//! The size of what a Worker, a page or a component's host loads, and the imports of its wasm.

use std::ffi::OsStr;
use std::path::Path;

use crate::build::component::PUBLISHED;
use crate::build::wasm;
use crate::process::Run;
use crate::{Outcome, build, files, project};

/// What a Worker or a page loads, and its limit in bytes after gzip: wasm files as they are, and what a bundler
/// makes of the lines of a page.
const FILES: &[(&str, u64)] =
    &[("engine", 27_500), ("registry", 17_000), ("stores", 81_500), ("public", 12_500)];
const PAGES: &[(&str, u64)] = &[
    ("import { Segment } from 'leafid'; new Segment('orders')", 41_000),
    ("import { Segment, Snowflake } from 'leafid'; console.log(Segment, Snowflake)", 43_000),
    ("import * as all from 'leafid'; console.log(all)", 63_000),
    ("import * as all from 'leafid/public'; console.log(all)", 15_500),
];

/// The components' size limits, in bytes, in the order of publication.
const COMPONENTS: [u64; 3] = [108_500, 51_500, 37_000];

/// The imports of `leafid.wasm`; the others have none.
const IMPORTS: &[&str] = &[
    "leafid:generator/store@0.1.0.acquire",
    "leafid:generator/store@0.1.0.give-back",
    "leafid:generator/store@0.1.0.lease-segment",
    "leafid:generator/store@0.1.0.renew",
    "wasi:clocks/monotonic-clock@0.2.0.now",
    "wasi:random/random@0.2.0.get-random-u64",
];

/// Node program that lists a wasm module's imports, and its exported functions.
const READ: &str = "const module = new WebAssembly.Module(require('fs').readFileSync(process.argv[1])); \
                    for (const one of WebAssembly.Module.imports(module)) console.log(`import ${one.module}.${one.name}`); \
                    for (const one of WebAssembly.Module.exports(module)) \
                    if (one.kind === 'function') console.log(`export ${one.name}`)";

/// Weighs the npm package's files as packed.
pub fn npm() -> Outcome<String> {
    build::need(&["npm"])?;
    let folder = project::target().join("npm/stage/leafid");
    let esbuild = project::at("node_modules/.bin/esbuild");
    let mut told = Vec::new();
    let mut weigh = |name: &str, measure: &str, of: &OsStr, most: u64| -> Outcome {
        let run = Run::new("sh").quiet().dir(&folder).args(["-euc", measure, "sh"]);
        let said = run.arg(of).arg(&esbuild).output()?;
        let size = said.trim().parse().map_err(|_| format!("gzip says `{said}`"))?;
        too_large(name, size, most)?;
        told.push(format!("`{name}` {size}"));
        Ok(())
    };
    for (name, most) in FILES {
        let measure = "gzip -9 -c \"$1\" | wc -c";
        weigh(&format!("{name}.wasm"), measure, wasm::of(name).as_os_str(), *most)?;
    }
    for (lines, most) in PAGES {
        let measure = "echo \"$1\" | \"$2\" --bundle --minify --format=esm | gzip -9 | wc -c";
        weigh(lines, measure, lines.as_ref(), *most)?;
    }
    Ok(format!("{} bytes after gzip", told.join(", ")))
}

/// Fails if `size` is above `most`.
pub fn too_large(name: &str, size: u64, most: u64) -> Outcome {
    let told = format!("`{name}` has {size} bytes, more than {most}: find what grew");
    if size > most { Err(told) } else { Ok(()) }
}

/// Checks the components' sizes and imports.
pub fn components() -> Outcome<String> {
    build::need(&["component"])?;
    let mut told = Vec::new();
    for (recipe, most) in PUBLISHED.iter().zip(COMPONENTS) {
        let size = files::size(&project::dist().join(format!("{}.wasm", recipe.name)))?;
        too_large(recipe.name, size, most)?;
        let wanted = if recipe.name == "leafid" { IMPORTS } else { &[] };
        let (asked, _) = interface(&recipe.core())?;
        other_imports(recipe.name, &asked, wanted)?;
        told.push(format!("{} {size} bytes, {} imports", recipe.name, asked.len()));
    }
    Ok(told.join("; "))
}

/// Fails for any imports but the wanted ones.
pub fn other_imports(name: &str, asked: &[String], wanted: &[&str]) -> Outcome {
    // `[export]` names are of the component itself: the handles of its resources.
    let mut asked: Vec<_> = asked.iter().filter(|name| !name.starts_with("[export]")).collect();
    asked.sort();
    if asked == wanted {
        Ok(())
    } else {
        Err(format!("`{name}` imports {asked:?}, not {wanted:?}"))
    }
}

/// A wasm module's imports, and its exported functions.
pub fn interface(module: &Path) -> Outcome<(Vec<String>, Vec<String>)> {
    let said = Run::new("node").quiet().args(["-e", READ]).arg(module).output()?;
    let all = |word: &str| {
        said.lines().filter_map(|line| line.strip_prefix(word)).map(str::to_owned).collect()
    };
    Ok((all("import "), all("export ")))
}
