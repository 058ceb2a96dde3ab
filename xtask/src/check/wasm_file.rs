//! As much of the wasm format as it takes to list what a module imports and exports.

use crate::Outcome;

const HEADER: &[u8] = b"\0asm\x01\0\0\0";
const IMPORTS: u8 = 2;
const EXPORTS: u8 = 7;
const FUNCTION: u8 = 0;

/// The names that a module asks its host for; the ones that are no functions by their kind only.
pub fn imports(module: &[u8]) -> Outcome<Vec<String>> {
    let Some(mut section) = section(module, IMPORTS)? else { return Ok(Vec::new()) };
    let count = section.number()?;
    let mut names = Vec::new();
    for _ in 0..count {
        let name = format!("{}.{}", section.name()?, section.name()?);
        names.push(name);
        // Only functions are read further: one import of any kind is one too many already.
        if section.byte()? != FUNCTION {
            break;
        }
        section.number()?;
    }
    Ok(names)
}

/// The functions that a module offers.
pub fn exported_functions(module: &[u8]) -> Outcome<Vec<String>> {
    let Some(mut section) = section(module, EXPORTS)? else { return Ok(Vec::new()) };
    let count = section.number()?;
    let mut names = Vec::new();
    for _ in 0..count {
        let name = section.name()?;
        let kind = section.byte()?;
        section.number()?;
        if kind == FUNCTION {
            names.push(name);
        }
    }
    Ok(names)
}

struct Reader<'a>(&'a [u8]);

fn section(module: &[u8], wanted: u8) -> Outcome<Option<Reader<'_>>> {
    let body = module.strip_prefix(HEADER).ok_or("this is not a WebAssembly module")?;
    let mut rest = Reader(body);
    while !rest.0.is_empty() {
        let id = rest.byte()?;
        let length = rest.number()?;
        let content = rest.take(length)?;
        if id == wanted {
            return Ok(Some(Reader(content)));
        }
    }
    Ok(None)
}

impl<'a> Reader<'a> {
    fn take(&mut self, length: usize) -> Outcome<&'a [u8]> {
        let (taken, rest) = self.0.split_at_checked(length).ok_or("the wasm file is cut short")?;
        self.0 = rest;
        Ok(taken)
    }

    fn byte(&mut self) -> Outcome<u8> {
        Ok(self.take(1)?[0])
    }

    fn name(&mut self) -> Outcome<String> {
        let length = self.number()?;
        Ok(String::from_utf8_lossy(self.take(length)?).into_owned())
    }

    // LEB128, as wasm writes every number.
    fn number(&mut self) -> Outcome<usize> {
        let mut value = 0_usize;
        for shift in (0..35).step_by(7) {
            let byte = self.byte()?;
            value |= usize::from(byte & 0x7f) << shift;
            if byte & 0x80 == 0 {
                return Ok(value);
            }
        }
        Err("a number in the wasm file is too long".to_owned())
    }
}

#[cfg(test)]
mod tests {
    use super::{HEADER, exported_functions, imports};

    fn module(sections: &[u8]) -> Vec<u8> {
        [HEADER, sections].concat()
    }

    #[test]
    fn imports_and_exports_are_read() {
        // One import `a.b` of a function, one export `c` of a function, one of a memory.
        let import = [2, 7, 1, 1, b'a', 1, b'b', 0, 0];
        let export = [7, 9, 2, 1, b'c', 0, 0, 1, b'm', 2, 0];
        let both = module(&[&import[..], &export[..]].concat());
        assert_eq!(imports(&both), Ok(vec!["a.b".to_owned()]));
        assert_eq!(exported_functions(&both), Ok(vec!["c".to_owned()]));
        assert_eq!(imports(&module(&[])), Ok(Vec::new()));
    }

    #[test]
    fn nonsense_is_an_error() {
        assert!(imports(b"<html>").is_err());
        assert!(imports(&module(&[2, 7, 1, 1, b'a'])).is_err());
    }
}
