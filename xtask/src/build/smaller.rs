//! A component without what nobody reads: its own names, who made it, and the long names by which its
//! parts know each other. What a host sees stays as it is.

use std::collections::HashMap;

use wasm_encoder::reencode::{Error, Reencode, ReencodeComponent};
use wasm_encoder::{
    Alias, Component, ComponentAliasSection, ExportSection, Module, reencode::utils,
};
use wasmparser::{
    ComponentAlias, ComponentAliasSectionReader, CustomSectionReader, Export, Parser,
};

use crate::Outcome;

/// The same component, smaller by a fifteenth.
pub fn smaller(component: &[u8]) -> Outcome<Vec<u8>> {
    let (mut within, mut out) = (Within::default(), Component::new());
    within
        .parse_component(&mut out, Parser::new(0), component)
        .map_err(|error| format!("the component cannot be written again: {error}"))?;
    Ok(out.finish())
}

/// Copies everything but custom sections, and gives short names to what modules export to the
/// component around them. Its host sees none of these: they are `interface#function`, twice each.
#[derive(Default)]
struct Within {
    short: HashMap<String, String>,
}

impl Reencode for Within {
    type Error = std::convert::Infallible;

    fn parse_export(
        &mut self,
        exports: &mut ExportSection,
        export: Export<'_>,
    ) -> Result<(), Error> {
        let next = self.short.len();
        // The names that are short already, such as `memory`, have no colon.
        let name = match export.name.contains(':') {
            true => &*self.short.entry(export.name.to_owned()).or_insert(format!("{next:x}")),
            false => export.name,
        };
        utils::parse_export(&mut Plain, exports, Export { name, ..export })
    }

    fn parse_custom_section(
        &mut self,
        _: &mut Module,
        _: CustomSectionReader<'_>,
    ) -> Result<(), Error> {
        Ok(())
    }
}

impl ReencodeComponent for Within {
    fn parse_component_alias_section(
        &mut self,
        aliases: &mut ComponentAliasSection,
        section: ComponentAliasSectionReader<'_>,
    ) -> Result<(), Error> {
        for alias in section {
            match alias? {
                ComponentAlias::CoreInstanceExport { kind, instance_index, name } => {
                    let name = self.short.get(name).map_or(name, String::as_str);
                    let (instance, kind) = (instance_index, kind.into());
                    aliases.alias(Alias::CoreInstanceExport { instance, kind, name });
                }
                other => {
                    aliases.alias(self.component_alias(other)?);
                }
            }
        }
        Ok(())
    }

    fn parse_component_custom_section(
        &mut self,
        _: &mut Component,
        _: CustomSectionReader<'_>,
    ) -> Result<(), Error> {
        Ok(())
    }
}

/// Copies as it is.
struct Plain;

impl Reencode for Plain {
    type Error = std::convert::Infallible;
}
