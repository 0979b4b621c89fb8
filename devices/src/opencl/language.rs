//! Which `OpenCL` C kernels are compiled as.
//!
//! Nearly all kernels are `OpenCL` C 1.2, which every device has. There, global memory is ordered within a group only:
//! `mem_fence` promises nothing to other groups of the same kernel. Kernels whose groups read what others of them have
//! written say so ([`KernelSource::ACROSS_GROUPS`]), and are compiled as a language whose fences reach the whole device, where the
//! device has one.

use cl3::device::{
    CL_DEVICE_EXTENSIONS, CL_DEVICE_OPENCL_C_FEATURES, CL_DEVICE_OPENCL_C_VERSION,
    CL_DEVICE_SINGLE_FP_CONFIG, CL_FP_CORRECTLY_ROUNDED_DIVIDE_SQRT,
};

use super::query::Id;
use crate::jit::KernelSource;

const PLAIN: &str = "-cl-std=CL1.2";
/// Division and roots in `Float32` rounded as on the host and in CUDA, where the device can. Sums of products are fused
/// as in CUDA: that is `OpenCL`'s default.
const ROUNDED: &str = "-cl-fp32-correctly-rounded-divide-sqrt";
/// The macro by which `dialect.h` leaves 64-bit floating point alone.
const NARROW: &str = " -DWITHOUT_FLOAT64";

/// The options of a device's compiler.
#[derive(Debug)]
pub(super) struct Language {
    /// Those of all kernels.
    common: String,
    /// The language of kernels whose groups read what others have written; `None` where the device has no fence for
    /// them.
    across_groups: Option<&'static str>,
}

impl Language {
    /// Asks the device. Without `float64` the kernels' `double` is not one of its types, whether it could be or not.
    pub(super) fn of(id: Id, float64: bool) -> Self {
        let single = id.number(CL_DEVICE_SINGLE_FP_CONFIG);
        let rounds = single & CL_FP_CORRECTLY_ROUNDED_DIVIDE_SQRT != 0;
        let version = id.text(CL_DEVICE_OPENCL_C_VERSION);
        let features = id.names(CL_DEVICE_OPENCL_C_FEATURES);
        Self {
            common: [if rounds { ROUNDED } else { "" }, if float64 { "" } else { NARROW }].concat(),
            across_groups: with_fence(&version, &features, &id.text(CL_DEVICE_EXTENSIONS)),
        }
    }

    /// Whether groups of one kernel can read what others of them have written.
    pub(super) fn has_device_fence(&self) -> bool {
        self.across_groups.is_some()
    }

    /// The options for a kernel's text; `None` if it needs a fence that the device has not.
    pub(super) fn options(&self, text: &str) -> Option<String> {
        let across = KernelSource::is_across_groups(text);
        let language = if across { self.across_groups? } else { PLAIN };
        Some(format!("{language} {}", self.common))
    }

    /// The options for a binary, whose language was chosen when it was made.
    pub(super) fn of_binaries(&self) -> &str {
        &self.common
    }

    /// All options, for the names of binaries.
    pub(super) fn all(&self) -> String {
        let across = self.across_groups.unwrap_or("no device fence");
        format!("{PLAIN} {}; {across}; groups told", self.common)
    }
}

/// The language with a fence of acquire and release order for the whole device. `dialect.h` has the fence of each.
fn with_fence(version: &str, features: &[String], extensions: &str) -> Option<&'static str> {
    let needed = ["__opencl_c_atomic_order_acq_rel", "__opencl_c_atomic_scope_device"];
    if needed.iter().all(|needed| features.iter().any(|feature| feature == needed)) {
        return Some("-cl-std=CL3.0");
    }
    // "OpenCL C 2.0 …": all orders and scopes are part of it, optional only since 3.0.
    if version.starts_with("OpenCL C 2.") {
        return Some("-cl-std=CL2.0");
    }
    // NVIDIA's OpenCL 3.0 has the fences of a group alone. Its compiler takes PTX, whose `membar.gl` orders all memory
    // for all threads of the device.
    extensions.split(' ').any(|name| name == "cl_nv_pragma_unroll").then_some(PLAIN)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn features(names: &[&str]) -> Vec<String> {
        names.iter().map(|name| format!("__opencl_c_{name}")).collect()
    }

    #[test]
    fn a_fence_for_the_device_is_taken_from_what_the_device_says() {
        let both = features(&["fp64", "atomic_order_acq_rel", "atomic_scope_device"]);
        assert_eq!(with_fence("OpenCL C 1.2 PoCL", &both, ""), Some("-cl-std=CL3.0"));
        assert_eq!(with_fence("OpenCL C 3.0", &both, "cl_nv_pragma_unroll"), Some("-cl-std=CL3.0"));
        assert_eq!(with_fence("OpenCL C 2.0 AMD", &[], "cl_khr_fp64"), Some("-cl-std=CL2.0"));
        let nvidia = "cl_khr_fp64 cl_nv_pragma_unroll cl_nv_copy_opts";
        assert_eq!(with_fence("OpenCL C 1.2", &[], nvidia), Some("-cl-std=CL1.2"));
    }

    #[test]
    fn half_of_what_a_fence_needs_is_not_one() {
        for half in ["atomic_order_acq_rel", "atomic_scope_device", "atomic_scope_device_not"] {
            assert_eq!(with_fence("OpenCL C 3.0", &features(&[half]), "cl_khr_fp64"), None);
        }
        assert_eq!(with_fence("OpenCL C 1.2", &[], "cl_khr_int64_base_atomics"), None);
        assert_eq!(with_fence("", &[], ""), None);
    }

    #[test]
    fn a_kernel_across_groups_has_options_only_where_there_is_a_fence() {
        let language = |across_groups| Language { common: String::new(), across_groups };
        let text = format!("#define V 4\n#define {} 1\n", KernelSource::ACROSS_GROUPS);
        assert_eq!(language(None).options(&text), None);
        assert_eq!(language(Some("-cl-std=CL3.0")).options(&text).unwrap(), "-cl-std=CL3.0 ");
        let none = text.replace(" 1\n", " 0\n");
        for across in [None, Some("-cl-std=CL3.0")] {
            assert_eq!(language(across).options(&none).unwrap(), "-cl-std=CL1.2 ");
        }
        assert_ne!(language(None).all(), language(Some(PLAIN)).all());
    }
}
