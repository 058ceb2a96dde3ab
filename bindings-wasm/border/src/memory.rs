//! The allocator and the panic handler, instead of the standard library's.

use core::panic::PanicInfo;

/// Half the size of the standard library's.
#[global_allocator]
static ALLOCATOR: talc::wasm::WasmDynamicTalc = talc::wasm::new_wasm_dynamic_allocator();

/// Traps, after which the host builds another instance. There is no message, as the code for it
/// would be a third of the file.
#[panic_handler]
fn trap(_: &PanicInfo<'_>) -> ! {
    core::arch::wasm32::unreachable()
}
