//! Texts and bytes that the host passes.

use alloc::string::String;
use alloc::vec::Vec;
use core::cell::RefCell;

use crate::alone::Alone;

static PARCELS: Alone<RefCell<Vec<Vec<u8>>>> = Alone(RefCell::new(Vec::new()));

/// Where the host writes a parcel of this length before it calls.
#[expect(unsafe_code, reason = "the host knows it by its name")]
#[unsafe(no_mangle)]
pub extern "C" fn room(length: usize) -> *const u8 {
    let parcel = alloc::vec![0; length];
    let place = parcel.as_ptr();
    // Its bytes stay where they are while the list moves.
    PARCELS.0.borrow_mut().push(parcel);
    place
}

/// The last parcel.
pub fn parcel() -> Vec<u8> {
    PARCELS.0.borrow_mut().pop().unwrap_or_default()
}

/// The last parcel, which is a text.
pub fn text() -> String {
    String::from_utf8(parcel()).unwrap_or_default()
}
