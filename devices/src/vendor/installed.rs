//! Which libraries on top of CUDA are installed.

use crate::Result;
use crate::cuda::library::candidates;
use crate::probe::{Ask, Library, find};

/// Each with the stem of its files and the function that gives its version.
const ALL: [(&str, &str, Ask); 5] = [
    ("cuBLAS", "cublas", Ask::Property("cublasGetProperty")),
    ("cuFFT", "cufft", Ask::Property("cufftGetProperty")),
    ("cuSPARSE", "cusparse", Ask::Property("cusparseGetProperty")),
    ("cuSOLVER", "cusolver", Ask::Property("cusolverGetProperty")),
    ("NCCL", "nccl", Ask::Number("ncclGetVersion")),
];

/// What [`libraries`] tells of, in its order.
pub(crate) fn names() -> impl Iterator<Item = &'static str> {
    ALL.iter().map(|(name, ..)| *name)
}

/// Each with its name and, where it cannot be used, the reason.
pub(crate) fn libraries() -> impl Iterator<Item = (&'static str, Result<Library>)> {
    ALL.iter().map(|(name, stem, ask)| (*name, find(name, &candidates(stem), ask)))
}
