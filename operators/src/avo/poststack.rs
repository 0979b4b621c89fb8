//! Post-stack seismic modelling: a wavelet on the reflectivity of every trace.

use arrayspan_bridge::{View, ViewMut};
use arrayspan_kernels::{Band, Stencil, Update};
use num_complex::Complex64;

use crate::signal::{Convolve1D, convolve1d};
use crate::{
    Context, Edge, FirstDerivative, LinearMap, LinearOperator, Operator, Result, Scheme, Space,
    number,
};

/// `d = W D m`: data of a wavelet `w` on the derivative along time of `m = ln(acoustic impedance)`;
/// domain and range are both `space`, `[time, others…]`.
///
/// `D` is the [`FirstDerivative`] per sample along axis 0, zero at its edges; `W` the [`Convolve1D`] with
/// `w`, whose time zero is at index `w.len() / 2`. Units: those of `w m`; for zero-offset reflections `w` includes
/// the factor ½. Complex: linear. Cost: 1 launch and 2 values moved per element, as `W D` is again a band
/// (test `bytes::poststack_linear_modelling`); with long wavelets 2 launches, 4 values moved and a workspace of one model.
///
/// Reference: Russell, Introduction to Seismic Inversion Methods (SEG, 1988), chapter 2. Golden: PyLops 2.8.0
/// `PoststackLinearModelling`.
#[derive(Clone, Debug)]
pub struct PoststackLinearModelling {
    space: Space,
    form: Form,
}

#[derive(Clone, Debug)]
enum Form {
    OneBand { forward: Stencil, adjoint: Stencil },
    TwoPasses(Operator),
}

/// Up to this many taps of `W D` one pass is best: the derivative saves less arithmetic than a second pass
/// costs traffic.
const MOST_FUSED_TAPS: usize = 64;

impl PoststackLinearModelling {
    const NAME: &str = "PoststackLinearModelling";

    /// Models with `wavelet`, sampled as axis 0 of `space` and centered at index `wavelet.len() / 2`.
    ///
    /// # Errors
    /// [`Error::Parameter`](crate::Error::Parameter) as [`Convolve1D::new`] along axis 0.
    pub fn new<W>(space: Space, wavelet: &[W], scheme: Scheme) -> Result<Self>
    where
        W: Copy + Into<Complex64>,
    {
        let zero = wavelet.len() / 2;
        let convolution = convolve1d::band(Self::NAME, &space, 0, wavelet, zero)?;
        let difference = FirstDerivative::band(convolution.len(), 1.0, scheme, Edge::Zero);
        let form =
            match fused(&convolution, &difference) {
                Some(band) => {
                    let what = "the wavelet on the derivative";
                    number::taps(Self::NAME, what, &band, space.dtype())?;
                    let forward = Stencil::along(0, band)?;
                    Form::OneBand { adjoint: forward.adjoint(), forward }
                }
                None => Form::TwoPasses(
                    Convolve1D::new(space.clone(), 0, wavelet, zero)?
                        .after(FirstDerivative::new(space.clone(), 0, 1.0, scheme, Edge::Zero)?)?,
                ),
            };
        Ok(Self { space, form })
    }
}

/// The product as one band, where that is worth it.
fn fused(convolution: &Band, difference: &Band) -> Option<Band> {
    let widths = [convolution, difference].map(|band| {
        let (left, right) = band.reach();
        left + right
    });
    if widths[0] + widths[1] < MOST_FUSED_TAPS { convolution.after(difference) } else { None }
}

impl LinearMap for PoststackLinearModelling {
    fn name(&self) -> &'static str {
        Self::NAME
    }

    fn domain(&self) -> &Space {
        &self.space
    }

    fn range(&self) -> &Space {
        &self.space
    }

    fn enqueue(&self, on: Context<'_>, x: View<'_>, y: ViewMut<'_>, update: Update) -> Result<()> {
        match &self.form {
            Form::OneBand { forward, .. } => Ok(on.stencil(forward, x, y, update)?),
            Form::TwoPasses(product) => product.enqueue(on, x, y, update),
        }
    }

    fn enqueue_adjoint(
        &self,
        on: Context<'_>,
        y: View<'_>,
        x: ViewMut<'_>,
        update: Update,
    ) -> Result<()> {
        match &self.form {
            Form::OneBand { adjoint, .. } => Ok(on.stencil(adjoint, y, x, update)?),
            Form::TwoPasses(product) => product.enqueue_adjoint(on, y, x, update),
        }
    }

    fn workspace(&self) -> usize {
        match &self.form {
            Form::OneBand { .. } => 0,
            Form::TwoPasses(product) => product.workspace(),
        }
    }
}
