//! What wasmtime makes of the WIT.

wasmtime::component::bindgen!({ path: "../../wit", world: "leafid" });
