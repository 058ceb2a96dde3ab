//! Tells the linker what Node expects of an add-on.

fn main() {
    napi_build::setup();
}
