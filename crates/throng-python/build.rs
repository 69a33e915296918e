//! The arguments of the linker on systems that need some for an extension module, such as macOS.

fn main() {
    pyo3_build_config::add_extension_module_link_args();
}
