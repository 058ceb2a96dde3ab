//! Random bytes from the operating system.

use leafid_core::Code;

use crate::problem::Problem;

/// Makes random bytes.
///
/// # Errors
/// `INTERNAL` if the operating system has none to give.
pub fn bytes<const N: usize>() -> Result<[u8; N], Problem> {
    let mut bytes = [0; N];
    match getrandom::fill(&mut bytes) {
        Ok(()) => Ok(bytes),
        Err(error) => {
            Err(Problem::new(Code::Internal, format!("the machine gives no randomness: {error}")))
        }
    }
}
