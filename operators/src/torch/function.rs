//! An operator as a function of tensors.

use arrayspan_bridge::torch::Differentiable;
use arrayspan_bridge::torch::tch::Tensor;
use arrayspan_bridge::torch::tch::nn::Module;

use super::batches::Batches;
use crate::{Operator, Result};

/// `y = A x` of tensors, through which torch's backward passes go by `Aᴴ`; of an operator by
/// [`torch`](Operator::torch). Models are `[batch…, domain…]`, data `[batch…, range…]`, with any number of axes in front.
///
/// Tensors are those of the operator's dtype, on the CPU or on CUDA, with any strides. They are read where they are, and
/// results are tensors over arrays of this library, so that nothing is copied ([`Differentiable`] tells how); a batch is done
/// in one pass as by [`lifted`](Operator::lifted). Work is queued on torch's current stream, and nothing waits.
///
/// Gradients are torch's: of a real `L`, `∂L/∂Re x + i ∂L/∂Im x`. That is the adjoint of the gradient that arrives, for operators
/// that are linear over the real numbers only (between real and complex spaces, say) that with respect to
/// `Re ⟨x, y⟩`. Derivatives may be of any order: the adjoint is such a function too.
///
/// Cost: that of the operator; two tensors and two arrays of the host's bookkeeping, a microsecond.
///
/// Cheap to clone, and `Send`: threads have clones of it.
#[derive(Clone, Debug)]
pub struct TorchOperator(Differentiable<Batches>);

impl Operator {
    /// The operator as a function of tensors, which torch differentiates.
    ///
    /// ```
    /// # fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// use arrayspan_bridge::torch::tch::{Device, Kind, Tensor};
    /// use arrayspan_operators::kernels::bridge::DType;
    /// use arrayspan_operators::prelude::*;
    ///
    /// let space = Space::new([5, 4], DType::Float64)?;
    /// let slope = FirstDerivative::new(space, 0, 1.0, Scheme::Forward, Edge::Zero)?.torch();
    /// let x = Tensor::rand([3, 5, 4], (Kind::Double, Device::Cpu)).set_requires_grad(true);
    /// let y = slope.forward(&x)?; // of three pictures
    /// y.square().sum(Kind::Double).backward();
    /// let gradient = slope.adjoint(&(2.0 * y))?;
    /// assert!(x.grad().allclose(&gradient, 1e-12, 1e-12, false));
    /// # Ok(()) }
    /// ```
    #[must_use]
    pub fn torch(&self) -> TorchOperator {
        TorchOperator(Differentiable::new(Batches::new(self.clone())))
    }
}

impl TorchOperator {
    /// `A x`, for each index of the axes in front.
    ///
    /// # Errors
    /// [`Error::Shape`](crate::Error::Shape), [`Error::DType`](crate::Error::DType), [`Error::WrongDevice`](crate::Error::WrongDevice)
    /// when the tensor does not fit; those of [`Differentiable::forward`], which tells how errors of the way back arrive;
    /// out of memory.
    pub fn forward(&self, x: &Tensor) -> Result<Tensor> {
        self.0.forward(x)
    }

    /// `Aᴴ y`, for each index of the axes in front.
    ///
    /// # Errors
    /// As [`forward`](Self::forward).
    pub fn adjoint(&self, y: &Tensor) -> Result<Tensor> {
        self.0.adjoint(y)
    }

    /// The operator.
    #[must_use]
    pub fn operator(&self) -> &Operator {
        &self.0.function().operator
    }
}

/// A layer without parameters: `nn::seq().add(operator.torch())`.
///
/// The interface of tch knows no errors: as all of its layers do, this panics where [`TorchOperator::forward`] fails.
impl Module for TorchOperator {
    fn forward(&self, x: &Tensor) -> Tensor {
        TorchOperator::forward(self, x).unwrap_or_else(|error| panic!("{error}"))
    }
}
