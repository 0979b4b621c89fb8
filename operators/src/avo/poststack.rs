//! Post-stack seismic modelling: a wavelet on the reflectivity of every trace.

use crate::{Convolve1D, Edge, FilterTap, FirstDerivative, Operator, Result, Scheme, Space};

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
#[derive(Debug)]
pub struct PoststackLinearModelling(());

impl PoststackLinearModelling {
    const NAME: &str = "PoststackLinearModelling";

    /// Models with `wavelet`, sampled as axis 0 of `space` and centered at index `wavelet.len() / 2`.
    ///
    /// # Errors
    /// [`Error::Parameter`](crate::Error::Parameter) as [`Convolve1D::new`] along axis 0.
    pub fn new<W>(space: Space, wavelet: &[W], scheme: Scheme) -> Result<Operator>
    where
        W: FilterTap,
    {
        let zero = wavelet.len() / 2;
        let convolution = Convolve1D::new(space.clone(), 0, wavelet, zero);
        let convolution = convolution.map_err(|error| error.of(Self::NAME))?;
        let difference = FirstDerivative::new(space, 0, 1.0, scheme, Edge::Zero)?;
        Ok(convolution.after(&difference).build()?.named(Self::NAME))
    }
}
