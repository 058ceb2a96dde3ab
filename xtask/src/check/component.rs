//! What the components ask of a host, how large they are, and that they are what `wit/` says.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use wit_component::{ComponentEncoder, WitPrinter};
use wit_parser::{PackageId, Resolve, WorldId, WorldItem};

use crate::build::component::{self, decoded};
use crate::{Outcome, build, files, project};

/// A component, its world in `wit/`, its ceiling in bytes and what it may import: functions, and
/// interfaces of types alone.
pub struct Published {
    file: &'static str,
    world: &'static str,
    most: u64,
    imports: &'static [&'static str],
}

/// Where every function is named.
const PAGE: &str = "docs/COMPONENT.md";

const STORE: &str = "leafid:generator/store@0.1.0";

/// `leafid.wasm` has all that it imports here: its host's clock, randomness and store.
pub const LEAFID: Published = Published {
    file: "leafid.wasm",
    world: "leafid",
    most: 96_000,
    imports: &[
        "leafid:generator/store@0.1.0.acquire",
        "leafid:generator/store@0.1.0.give-back",
        "leafid:generator/store@0.1.0.lease-segment",
        "leafid:generator/store@0.1.0.renew",
        "leafid:generator/types@0.1.0",
        "wasi:clocks/monotonic-clock@0.2.0.now",
        "wasi:random/random@0.2.0.get-random-u64",
    ],
};

/// `leafid-pure.wasm` needs nothing but names for its types.
const PURE: Published = Published {
    file: "leafid-pure.wasm",
    world: "pure",
    most: 47_000,
    imports: &["leafid:generator/types@0.1.0"],
};

/// `leafid-public.wasm`, likewise.
const PUBLIC: Published = Published {
    file: "leafid-public.wasm",
    world: "public",
    most: 40_000,
    imports: &["leafid:generator/types@0.1.0"],
};

/// All of them.
const PUBLISHED: [Published; 3] = [LEAFID, PURE, PUBLIC];

/// What they import, exactly.
pub fn imports() -> Outcome<String> {
    let mut told = Vec::new();
    for published in PUBLISHED {
        let found = imported(&published.bytes()?)?;
        if let Some(complaint) = published.other_imports(&found) {
            return Err(complaint);
        }
        told.push(format!("{} imports {} names", published.file, found.len()));
    }
    Ok(told.join(", "))
}

/// How large they are at most.
pub fn sizes() -> Outcome<String> {
    let mut told = Vec::new();
    for published in PUBLISHED {
        let size = published.bytes()?.len() as u64;
        if let Some(complaint) = published.too_large(size) {
            return Err(complaint);
        }
        told.push(format!("{} {size} bytes", published.file));
    }
    Ok(told.join(", "))
}

/// The interfaces inside are those of the tree, and `dist/leafid.wit` is their text.
pub fn wit() -> Outcome<String> {
    let (resolve, package) = component::described()?;
    let mut count = 0;
    for published in PUBLISHED {
        let complaint = published.other_wit(&resolve, package)?;
        if let Some(complaint) = complaint {
            return Err(complaint);
        }
        count += 1;
    }
    if let Some(complaint) = unnamed(&resolve, package, &files::read(&project::at(PAGE))?) {
        return Err(complaint);
    }
    let text = files::read(&project::dist().join("leafid.wit"))?;
    if text != component::one_file()? {
        return Err("`dist/leafid.wit` is not the text of the interfaces".to_owned());
    }
    Ok(format!("{count} components are what `{}` says", component::WIT))
}

/// The complaint about a function that the page does not name.
pub fn unnamed(resolve: &Resolve, package: PackageId, page: &str) -> Option<String> {
    let interfaces = resolve.packages[package].interfaces.values();
    let functions = interfaces.flat_map(|id| resolve.interfaces[*id].functions.values());
    let mut names = functions.map(|function| function.item_name());
    let missing = |name: &&str| {
        let (plain, typed) = (format!("`{name}`"), format!("`{name}:"));
        !page.contains(&plain) && !page.contains(&typed) && !page.contains(&format!("and {typed}"))
    };
    names.find(missing).map(|name| format!("`{PAGE}` does not name `{name}`"))
}

impl Published {
    fn bytes(&self) -> Outcome<Vec<u8>> {
        build::need(&["component"])?;
        files::bytes(&project::dist().join(self.file))
    }

    /// The complaint about what it imports.
    pub fn other_imports(&self, found: &[String]) -> Option<String> {
        let missing = self.imports.iter().filter(|name| !found.iter().any(|it| it == *name));
        let more = found.iter().filter(|name| !self.imports.contains(&name.as_str()));
        let wrong: Vec<_> = more
            .map(|name| format!("also `{name}`"))
            .chain(missing.map(|name| format!("no `{name}`")))
            .collect();
        (!wrong.is_empty()).then(|| format!("`{}` imports {}", self.file, wrong.join(", ")))
    }

    /// The complaint about its size.
    pub fn too_large(&self, size: u64) -> Option<String> {
        let (file, most) = (self.file, self.most);
        (size > most).then(|| format!("`{file}` has {size} bytes, more than {most}"))
    }

    /// The complaint about interfaces that are not the tree's.
    pub fn other_wit(&self, tree: &Resolve, package: PackageId) -> Outcome<Option<String>> {
        let world = tree.select_world(&[package], Some(self.world));
        let world = world.map_err(|error| format!("no world `{}`: {error:#}", self.world))?;
        let (tree, inside) = (interfaces(&dummy(tree, world)?)?, interfaces(&self.bytes()?)?);
        let names = tree.keys().chain(inside.keys());
        let differs = |name: &&String| tree.get(*name) != inside.get(*name);
        let complaint = |name: &String| {
            format!("`{}` has another `{name}` than `{}`: build it", self.file, component::WIT)
        };
        Ok(names.into_iter().find(differs).map(complaint))
    }
}

/// The functions that a component imports, and the interfaces without any.
pub fn imported(bytes: &[u8]) -> Outcome<Vec<String>> {
    let (resolve, world) = decoded(bytes)?;
    let mut found = Vec::new();
    for (key, item) in &resolve.worlds[world].imports {
        let name = resolve.name_world_key(key);
        match item {
            WorldItem::Interface { id, .. } if !resolve.interfaces[*id].functions.is_empty() => {
                let functions = resolve.interfaces[*id].functions.keys();
                found.extend(functions.map(|function| format!("{name}.{function}")));
            }
            _ => found.push(name),
        }
    }
    found.sort();
    Ok(found)
}

/// A component of this world that does nothing. What it says of itself went the same way as what a
/// real one says: without comments and without types nobody uses.
fn dummy(resolve: &Resolve, world: WorldId) -> Outcome<Vec<u8>> {
    let abi = wit_parser::ManglingAndAbi::Legacy(wit_parser::LiftLowerAbi::Sync);
    let mut module = wit_component::dummy_module(resolve, world, abi);
    let utf8 = wit_component::StringEncoding::UTF8;
    wit_component::embed_component_metadata(&mut module, resolve, world, utf8, false)
        .and_then(|()| ComponentEncoder::default().module(&module)?.encode())
        .map_err(|error| format!("no component of this world: {error:#}"))
}

/// The items of every interface that a component imports or exports, in no order: encoding keeps none.
fn interfaces(component: &[u8]) -> Outcome<BTreeMap<String, BTreeSet<String>>> {
    let (resolve, world) = decoded(component)?;
    let world = &resolve.worlds[world];
    let mut found = BTreeMap::new();
    for (key, item) in world.imports.iter().chain(&world.exports) {
        let WorldItem::Interface { id, .. } = item else { continue };
        let mut printer = WitPrinter::default();
        let printed = printer.print_interface(&resolve, *id);
        printed.map_err(|error| format!("an interface cannot be printed: {error:#}"))?;
        found.insert(resolve.name_world_key(key), items(&printer.output.to_string()));
    }
    Ok(found)
}

/// Types and functions, which blank lines part; the names of a `use` one by one.
fn items(interface: &str) -> BTreeSet<String> {
    let used = interface.lines().filter_map(|line| line.strip_prefix("use ")?.split_once(".{"));
    let names = used.flat_map(|(_, names)| names.trim_end_matches("};").split(", "));
    let whole = interface.split("\n\n").filter(|item| !item.starts_with("use "));
    names.chain(whole).map(str::trim).map(str::to_owned).collect()
}

/// The control of [`imports`]: a component of a world that asks for one function more.
pub fn with_one_import_more() -> Outcome<Option<String>> {
    let extra = "package wasi:cli@0.2.0; interface environment { initial-cwd: func() -> u32; }";
    let (mut resolve, package) = component::described()?;
    let more = resolve.push_str("environment.wit", extra).map_err(|error| format!("{error:#}"))?;
    let world = resolve.select_world(&[package], Some(LEAFID.world));
    let world = world.map_err(|error| format!("{error:#}"))?;
    let id = resolve.packages[more].interfaces["environment"];
    let item = WorldItem::Interface {
        id,
        stability: Default::default(),
        external_id: None,
        docs: Default::default(),
        span: Default::default(),
    };
    resolve.worlds[world].imports.insert(wit_parser::WorldKey::Interface(id), item);
    let found = imported(&dummy(&resolve, world)?)?;
    Ok(LEAFID.other_imports(&found))
}

/// The control of [`wit`]: a tree whose `store` has lost a function since the build.
pub fn with_another_tree() -> Outcome<Option<String>> {
    let (mut resolve, package) = component::described()?;
    let store =
        resolve.interfaces.iter().find(|(id, _)| resolve.id_of(*id).as_deref() == Some(STORE));
    let id = store.ok_or(format!("there is no `{STORE}`"))?.0;
    resolve.interfaces[id].functions.shift_remove("give-back");
    LEAFID.other_wit(&resolve, package)
}

#[cfg(test)]
mod tests {
    use super::items;

    #[test]
    fn an_interface_is_its_items_in_no_order() {
        let one = "use types.{a, b};\n\nf: func() -> a;\n\ng: func() -> b;\n";
        let other = "use types.{b, a};\n\ng: func() -> b;\n\nf: func() -> a;\n";
        assert_eq!(items(one), items(other));
        assert_ne!(items(one), items(&one.replace("g: func() -> b", "g: func() -> a")));
    }
}
