//! The command `leafid`.

use std::process::ExitCode;

fn main() -> ExitCode {
    leafid_server::cli::main(std::env::args_os())
}
