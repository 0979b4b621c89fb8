//! What an operator does, where it is not made of other operators.

use std::sync::Arc;

use arrayspan_bridge::devices::Device;
use arrayspan_bridge::{DType, SharedArray};
use arrayspan_kernels::{Fourier, Gather, Projection, Scan, Signals, Stencil};
use num_complex::Complex64;

use super::program::Leaf;
use super::{IndexMap, Matrix, Orientation, Pointwise};
use crate::devices::PerDevice;
use crate::number::ONE;
use crate::{Devices, LinearMap};

/// What an operator does, as data: all that [`Operator::of`](crate::Operator::of) needs beside a name and two spaces.
///
/// From it follow the adjoint, the transpose and the conjugate, rewriting (what can be done in one pass is done in one),
/// and what [`describe`](crate::Operator::describe) tells. Operators made of operators (sums, products, stacks) are not
/// forms: the [`algebra`](crate::algebra) makes them.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum Form {
    /// `y = 0`
    Zero,
    /// `y = x`
    Identity,
    /// `y = d ⊙ x`: weights of the shape of the space, or of extent 1 along axes over which they repeat.
    Diagonal(SharedArray),
    /// `y = Σ Bₐ x`, a banded matrix along each of some axes.
    Stencil(Stencil),
    /// `y[o] = x[m(o)]`, or zero.
    Index(IndexMap),
    /// `y[…, j, …] = Σₖ w[j, k] x[…, i[j, k], …]`, a sparse matrix along an axis, or along neighbouring axes counted as one.
    Gather(Gather),
    /// Sums along curves that cross the lines of an array, or what they spread, between neighbouring axes.
    Projection(Projection),
    /// Running sums along an axis.
    Scan(Scan),
    /// Discrete Fourier transforms along an axis, of complex numbers or of real ones.
    Fourier(Fourier),
    /// `y[…, i, …] = Σⱼ A[i, j] x[…, j, …]`, a dense matrix along an axis.
    Matrix {
        /// `[rows, columns]`
        matrix: SharedArray,
        /// The axis of columns in `x` and of rows in `y`.
        axis: usize,
    },
    /// `y = conj(x)`, which is linear over the real numbers only, and its own adjoint in that sense.
    Conjugate,
    /// `y = Re x`, from complex numbers to real ones. Its adjoint is `x = y + 0i`.
    Real,
    /// `y = Im x`, from complex numbers to real ones. Its adjoint is `x = 0 + i y`.
    Imaginary,
    /// `y = x`, from one device to another.
    ToDevice {
        /// Where `x` is.
        from: Device,
        /// Where `y` is.
        to: Device,
    },
    /// Anything else: two directions that enqueue verbs. Nothing is known of it, so nothing is rewritten.
    Opaque(Arc<dyn LinearMap>),
}

impl Form {
    /// Whether it is one verb in every orientation, which takes no workspace.
    pub(crate) fn is_one_verb(&self) -> bool {
        match self {
            Self::Zero
            | Self::Identity
            | Self::Conjugate
            | Self::Real
            | Self::Imaginary
            | Self::Diagonal(_)
            | Self::Stencil(_)
            | Self::Gather(_)
            | Self::Projection(_)
            | Self::Scan(_)
            | Self::Fourier(_)
            | Self::Matrix { .. } => true,
            Self::Index(_) | Self::ToDevice { .. } | Self::Opaque(_) => false,
        }
    }
}

impl Leaf {
    /// A form in an orientation; `None` for the identity and for zero. `complex` is whether conjugation changes anything.
    pub(crate) fn of(form: &Form, orientation: Orientation, complex: bool) -> Option<Self> {
        let Orientation { adjoint, conj } = orientation;
        // Of real numbers the conjugate is the same.
        let conjugated = complex && adjoint != conj;
        Some(match form {
            // Its adjoint, its conjugate and its transpose are the same.
            Form::Conjugate if complex => Self::Pointwise(Pointwise::conjugate()),
            // On real numbers a conjugate is the identity.
            Form::Zero | Form::Identity | Form::Conjugate => return None,
            Form::Real if adjoint => Self::Pointwise(Pointwise::of_real(ONE)),
            Form::Real => Self::Pointwise(Pointwise::real()),
            // `conj(A) x` is `conj(Im conj(x)) = -Im x`.
            Form::Imaginary => {
                let sign = if conj { -ONE } else { ONE };
                Self::Pointwise(if adjoint {
                    Pointwise::of_real(Complex64::I * sign)
                } else {
                    Pointwise::imaginary().scaled(sign)
                })
            }
            Form::ToDevice { from, to } if from == to => return None,
            &Form::ToDevice { from, to } => {
                let devices = Devices { domain: from, range: to };
                Self::Move(if adjoint { devices.swapped() } else { devices })
            }
            Form::Diagonal(weights) => Self::Pointwise(Pointwise::weights(weights, conjugated)),
            Form::Stencil(stencil) if adjoint => {
                let turned = stencil.adjoint();
                Self::Stencil(if conj { turned.conj() } else { turned })
            }
            Form::Stencil(stencil) if conj => Self::Stencil(stencil.conj()),
            Form::Stencil(stencil) => Self::Stencil(stencil.clone()),
            Form::Index(map) if adjoint => match map.adjoint() {
                Some(map) => Self::Index { map, adjoint: false },
                None => Self::Index { map: map.clone(), adjoint: true },
            },
            Form::Index(map) => Self::Index { map: map.clone(), adjoint: false },
            Form::Gather(gather) => Self::Gather(match (adjoint, conj) {
                (false, false) => gather.clone(),
                (false, true) => gather.conj(),
                (true, false) => gather.adjoint(),
                (true, true) => gather.transpose(),
            }),
            // Weights of both are real.
            Form::Projection(projection) if adjoint => Self::Projection(projection.transpose()),
            Form::Projection(projection) => Self::Projection(projection.clone()),
            Form::Scan(scan) => Self::Scan(if adjoint { scan.transpose() } else { *scan }),
            Form::Fourier(fourier) => {
                let turned = if adjoint { fourier.adjoint() } else { *fourier };
                Self::Fourier(if conj { turned.conj() } else { turned })
            }
            &Form::Matrix { ref matrix, axis } => {
                let array = matrix.clone();
                Self::Matrix(Matrix { array, axis, transposed: adjoint, conjugated })
            }
            Form::Opaque(map) => {
                let conj = conj && complex;
                // Its adjoint is the same.
                let own = map.domain() == map.range() && map.properties().self_adjoint;
                let adjoint = adjoint && !own;
                Self::Map { map: map.clone(), orientation: Orientation { adjoint, conj } }
            }
        })
    }

    /// Whether two are the same, so that `A + A` is `2 A`. Arrays are the same if they are one and the same.
    pub(crate) fn same(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Pointwise(a), Self::Pointwise(b)) => a.same(b),
            (Self::Stencil(a), Self::Stencil(b)) => a == b,
            (Self::Index { map: a, adjoint: c }, Self::Index { map: b, adjoint: d }) => {
                c == d && a == b
            }
            (Self::Gather(a), Self::Gather(b)) => a == b,
            (Self::Projection(a), Self::Projection(b)) => a == b,
            (Self::Scan(a), Self::Scan(b)) => a == b,
            (Self::Fourier(a), Self::Fourier(b)) => a == b,
            (Self::Matrix(a), Self::Matrix(b)) => a.same(b),
            (Self::Move(a), Self::Move(b)) => a == b,
            (Self::Map { map: a, orientation: c }, Self::Map { map: b, orientation: d }) => {
                c == d && Arc::ptr_eq(a, b)
            }
            (Self::Call(a), Self::Call(b)) => Arc::ptr_eq(a, b),
            _ => false,
        }
    }

    /// The bytes of workspace that it takes itself, where it runs on `device`.
    pub(crate) fn bytes(&self, dtype: DType, device: Option<Device>) -> PerDevice<usize> {
        match self {
            Self::Map { map, .. } => {
                let mut all = PerDevice::of(device, map.workspace());
                if self.devices().is_some() {
                    for (device, bytes) in map.elsewhere() {
                        let entry = all.entry(Some(device));
                        *entry = entry.saturating_add(bytes);
                    }
                }
                all
            }
            Self::Call(program) => match program.devices() {
                Some(_) => program.bytes().clone(),
                None => PerDevice::of(device, program.bytes().get(None)),
            },
            // Not more than an array of the domain, which can be addressed.
            Self::Index { map, adjoint: true } => {
                PerDevice::of(device, map.workspace(dtype).unwrap_or(usize::MAX))
            }
            _ => PerDevice::default(),
        }
    }

    /// Where it reads and where it writes, if it is on several devices.
    pub(crate) fn devices(&self) -> Option<Devices> {
        match self {
            Self::Move(devices) => Some(*devices),
            Self::Map { map, orientation } => {
                let devices = map.devices()?;
                if devices.one().is_some() && map.elsewhere().is_empty() {
                    return None;
                }
                Some(if orientation.adjoint { devices.swapped() } else { devices })
            }
            Self::Call(program) => program.devices(),
            _ => None,
        }
    }

    /// Whether all of its numbers are real; an opaque operator is as real as its dtype.
    pub(crate) fn is_real(&self, dtype: DType) -> bool {
        match self {
            Self::Index { .. } | Self::Projection(_) | Self::Scan(_) | Self::Move(_) => true,
            Self::Pointwise(factor) => factor.is_real(),
            Self::Stencil(stencil) => stencil.is_real(),
            Self::Gather(gather) => gather.is_real(),
            Self::Matrix(matrix) => !matrix.array.dtype().is_complex(),
            Self::Fourier(fourier) => fourier.signals() == Signals::Cosines,
            Self::Map { .. } => !dtype.is_complex(),
            Self::Call(program) => program.is_real(),
        }
    }

    /// Whether complex factors commute with it.
    pub(crate) fn is_complex_linear(&self) -> bool {
        match self {
            Self::Pointwise(factor) => factor.is_complex_linear(),
            Self::Fourier(fourier) => fourier.is_complex_linear(),
            Self::Map { map, .. } => map.properties().complex_linear,
            Self::Call(program) => program.is_complex_linear(),
            Self::Stencil(_)
            | Self::Index { .. }
            | Self::Gather(_)
            | Self::Projection(_)
            | Self::Scan(_)
            | Self::Matrix(_)
            | Self::Move(_) => true,
        }
    }

    /// Intermediate results that live while it runs.
    pub(crate) fn need(&self) -> usize {
        match self {
            Self::Map { orientation: Orientation { conj: true, .. }, .. } => 2,
            Self::Map { map, .. } => usize::from(map.workspace() > 0),
            Self::Call(program) => usize::from(program.takes_memory()),
            Self::Index { adjoint: true, .. } => 1,
            _ => 0,
        }
    }
}
