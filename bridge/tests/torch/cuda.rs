//! Tensors and arrays on a GPU.
