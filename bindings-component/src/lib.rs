//! The core of leafid as a WebAssembly component: the interfaces of `wit/`, for any host that speaks
//! the component model. What the verbs do stands in `leafid_bindings` and the core; here are their
//! names and conversions.
//!
//! A host may call back while an import runs, the clock included, so nothing is borrowed then.

// Natively the names of a component's functions do not link; only wasm has them.
#![cfg(target_family = "wasm")]

#[expect(unsafe_code, reason = "what crosses the border are pointers; the generated code has them")]
mod bindings {
    #[cfg(not(feature = "pure"))]
    wit_bindgen::generate!({ path: "../wit", world: "leafid", generate_all });
    #[cfg(feature = "pure")]
    wit_bindgen::generate!({ path: "../wit", world: "pure", generate_all });

    use super::Component;
    export!(Component with_types_in self);
}

mod codes;
mod layouts;
mod messages;
mod registry;
mod rows;
mod text;
mod values;

#[cfg(not(feature = "pure"))]
mod asking;
#[cfg(not(feature = "pure"))]
mod carried;
#[cfg(not(feature = "pure"))]
mod configs;
#[cfg(not(feature = "pure"))]
mod counting;
#[cfg(not(feature = "pure"))]
mod generators;
#[cfg(not(feature = "pure"))]
mod held;
#[cfg(not(feature = "pure"))]
mod host;

/// What implements every exported interface.
struct Component;

/// Half the size of the standard library's, which matters in a file of a hundred kilobytes.
#[global_allocator]
static ALLOCATOR: talc::wasm::WasmDynamicTalc = talc::wasm::new_wasm_dynamic_allocator();
