//! Texts and bytes that the host passes.

use alloc::string::String;
use alloc::vec::Vec;
use core::cell::RefCell;

use crate::alone::Alone;

static PARCELS: Alone<RefCell<Vec<Vec<u8>>>> = Alone(RefCell::new(Vec::new()));

/// Makes room for a parcel of this length, which the host writes before it calls.
#[expect(unsafe_code, reason = "the host knows it by its name")]
#[unsafe(no_mangle)]
pub extern "C" fn room(length: usize) -> *const u8 {
    let parcel = alloc::vec![0; length];
    let place = parcel.as_ptr();
    // The bytes stay where they are when the list is moved.
    PARCELS.0.borrow_mut().push(parcel);
    place
}

/// Takes the last parcel.
pub fn parcel() -> Vec<u8> {
    PARCELS.0.borrow_mut().pop().unwrap_or_default()
}

/// Takes the last parcel, as a text.
pub fn text() -> String {
    String::from_utf8(parcel()).unwrap_or_default()
}
