//! What the standard library would bring.

use core::panic::PanicInfo;

/// Half the size of the standard library's.
#[global_allocator]
static ALLOCATOR: talc::wasm::WasmDynamicTalc = talc::wasm::new_wasm_dynamic_allocator();

/// A trap: the host builds another instance. Without a word, because the words would be a third of the
/// file.
#[panic_handler]
fn trap(_: &PanicInfo<'_>) -> ! {
    core::arch::wasm32::unreachable()
}
