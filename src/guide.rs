// The files of `docs/` are pages of the documentation as well, and their examples are compiled here. There they link each
// other as files. Of two definitions of a link the first counts, so those given here make the same links lead to modules.
#![allow(clippy::doc_markdown, reason = "prose and tables, full of names of products")]
#![doc = "[arrays]: crate::guide::arrays"]
#![doc = "[pylops]: crate::guide::pylops"]
#![doc = "[operators]: crate::guide::operators"]
#![doc = "[write-an-operator]: crate::guide::write_an_operator"]
#![doc = "[write-a-solver]: crate::guide::write_a_solver"]
#![doc = "[write-a-kernel]: crate::guide::write_a_kernel"]
#![doc = "[memory]: crate::guide::memory"]
#![doc = "[accounting]: crate::guide::accounting"]
#![doc = "[dlpack]: crate::guide::dlpack"]
#![doc = "[benchmarks]: crate::guide::benchmarks"]
#![doc = ""]
#![doc = include_str!("../docs/README.md")]

#[doc = "[write-a-kernel]: crate::guide::write_a_kernel"]
#[doc = "[dlpack]: crate::guide::dlpack"]
#[doc = ""]
#[doc = include_str!("../docs/arrays.md")]
pub mod arrays {}

#[doc = "[write-an-operator]: crate::guide::write_an_operator"]
#[doc = "[write-a-solver]: crate::guide::write_a_solver"]
#[doc = ""]
#[doc = include_str!("../docs/pylops.md")]
pub mod pylops {}

#[doc = include_str!("../docs/operators.md")]
pub mod operators {}

#[doc = "[write-a-kernel]: crate::guide::write_a_kernel"]
#[doc = "[contributing]: https://github.com/arrayspan/arrayspan/blob/main/CONTRIBUTING.md"]
#[doc = ""]
#[doc = include_str!("../docs/write-an-operator.md")]
pub mod write_an_operator {}

#[doc = include_str!("../docs/write-a-solver.md")]
pub mod write_a_solver {}

#[doc = "[write-an-operator]: crate::guide::write_an_operator"]
#[doc = ""]
#[doc = include_str!("../docs/write-a-kernel.md")]
pub mod write_a_kernel {}

#[doc = "[accounting]: crate::guide::accounting"]
#[doc = ""]
#[doc = include_str!("../docs/memory.md")]
pub mod memory {}

#[doc = include_str!("../docs/accounting.md")]
pub mod accounting {}

#[doc = include_str!("../docs/dlpack.md")]
pub mod dlpack {}

#[doc = include_str!("../docs/benchmarks.md")]
pub mod benchmarks {}
