//! The core of leafid as a WebAssembly component: the interfaces of `wit/`, for any host of the
//! component model. The verbs are implemented in `leafid_bindings` and the core; this crate has their
//! names and conversions.
//!
//! A host may call back while an import runs, the clock included, so nothing is borrowed then.

// The functions of a component link only in wasm.
#![cfg(target_family = "wasm")]

#[expect(unsafe_code, reason = "what crosses the border are pointers; the generated code has them")]
mod bindings {
    #[cfg(not(any(feature = "pure", feature = "public")))]
    wit_bindgen::generate!({ path: "../wit", world: "leafid", generate_all });
    #[cfg(feature = "pure")]
    wit_bindgen::generate!({ path: "../wit", world: "pure", generate_all });
    #[cfg(feature = "public")]
    wit_bindgen::generate!({ path: "../wit", world: "public", generate_all });

    use super::Component;
    export!(Component with_types_in self);
}

mod code_cases;
#[cfg(feature = "public")]
mod public;

#[cfg(not(feature = "public"))]
mod codes;
#[cfg(not(feature = "public"))]
mod layouts;
#[cfg(not(feature = "public"))]
mod records;
#[cfg(not(feature = "public"))]
mod registry;
#[cfg(not(feature = "public"))]
mod text;
#[cfg(not(feature = "public"))]
mod values;

#[cfg(not(any(feature = "pure", feature = "public")))]
mod configs;
#[cfg(not(any(feature = "pure", feature = "public")))]
mod generators;
#[cfg(not(any(feature = "pure", feature = "public")))]
mod held;
#[cfg(not(any(feature = "pure", feature = "public")))]
mod host;

/// Implements every exported interface.
struct Component;

/// Half the size of the standard library's allocator, which matters in a file of a hundred kilobytes.
#[global_allocator]
static ALLOCATOR: talc::wasm::WasmDynamicTalc = talc::wasm::new_wasm_dynamic_allocator();
