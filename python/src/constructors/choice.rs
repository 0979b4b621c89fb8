//! Choices by name.

use arrayspan::operators::taper::Ramp;
use arrayspan::operators::{
    Biorthogonal, Convolution, CurveletKind, Edge, FinestScale, FourierNorm, Integral,
    Interpolation, QuarterShift, RadonKind, Scheme, SeisletBasis, Spectrum,
};
use pyo3::prelude::*;

use crate::error::{Class, refuse};

/// One of several, which the caller names.
pub(crate) struct Choice<T>(pub(crate) T);

pub(crate) trait Named: Sized + Copy + 'static {
    const WHAT: &str;
    const NAMES: &'static [(&'static str, Self)];
}

impl Named for Scheme {
    const WHAT: &str = "scheme";
    const NAMES: &'static [(&'static str, Self)] = &[
        ("forward", Self::Forward),
        ("backward", Self::Backward),
        ("centered3", Self::Centered3),
        ("centered5", Self::Centered5),
    ];
}

impl Named for Edge {
    const WHAT: &str = "edge";
    const NAMES: &'static [(&'static str, Self)] =
        &[("zero", Self::Zero), ("reduced", Self::Reduced)];
}

impl Named for Integral {
    const WHAT: &str = "integral";
    const NAMES: &'static [(&'static str, Self)] =
        &[("full", Self::Full), ("half", Self::Half), ("trapezoidal", Self::Trapezoidal)];
}

impl Named for Interpolation {
    const WHAT: &str = "interpolation";
    const NAMES: &'static [(&'static str, Self)] =
        &[("linear", Self::Linear), ("nearest", Self::Nearest)];
}

impl Named for Convolution {
    const WHAT: &str = "method";
    const NAMES: &'static [(&'static str, Self)] = &[
        ("auto", Self::Auto),
        ("direct", Self::Direct),
        ("fourier", Self::Fourier),
        ("blocks", Self::Blocks),
        ("whole", Self::Whole),
    ];
}

impl Named for RadonKind {
    const WHAT: &str = "kind";
    const NAMES: &'static [(&'static str, Self)] = &[
        ("linear", Self::Linear),
        ("parabolic", Self::Parabolic),
        ("hyperbolic", Self::Hyperbolic),
    ];
}

/// What `Interp` puts between samples.
#[derive(Clone, Copy)]
pub(crate) enum Between {
    Samples(Interpolation),
    Sinc,
}

impl Named for Between {
    const WHAT: &str = "interpolation";
    const NAMES: &'static [(&'static str, Self)] = &[
        ("linear", Self::Samples(Interpolation::Linear)),
        ("nearest", Self::Samples(Interpolation::Nearest)),
        ("sinc", Self::Sinc),
    ];
}

impl Named for Ramp {
    const WHAT: &str = "taper";
    const NAMES: &'static [(&'static str, Self)] = &[
        ("cosine", Self::Cosine),
        ("cosine_squared", Self::CosineSquared),
        ("square_root_cosine", Self::SquareRootCosine),
    ];
}

impl Named for SeisletBasis {
    const WHAT: &str = "basis";
    const NAMES: &'static [(&'static str, Self)] =
        &[("haar", Self::Haar), ("linear", Self::Linear)];
}

impl Named for Biorthogonal {
    const WHAT: &str = "first";
    const NAMES: &'static [(&'static str, Self)] = &[
        ("antonini", Self::Antonini),
        ("legall", Self::LeGall),
        ("near_sym_a", Self::NearSymmetricA),
        ("near_sym_b", Self::NearSymmetricB),
    ];
}

impl Named for QuarterShift {
    const WHAT: &str = "further";
    const NAMES: &'static [(&'static str, Self)] = &[
        ("qshift_06", Self::Six),
        ("qshift_a", Self::A),
        ("qshift_b", Self::B),
        ("qshift_c", Self::C),
        ("qshift_d", Self::D),
        ("qshift_32", Self::ThirtyTwo),
    ];
}

impl Named for FinestScale {
    const WHAT: &str = "finest";
    const NAMES: &'static [(&'static str, Self)] =
        &[("curvelets", Self::Curvelets), ("wavelets", Self::Wavelets)];
}

impl Named for CurveletKind {
    const WHAT: &str = "kind";
    const NAMES: &'static [(&'static str, Self)] =
        &[("real", Self::Real), ("complex", Self::Complex)];
}

impl Named for Spectrum {
    const WHAT: &str = "spectrum";
    const NAMES: &'static [(&'static str, Self)] = &[("full", Self::Full), ("half", Self::Half)];
}

impl Named for FourierNorm {
    const WHAT: &str = "norm";
    const NAMES: &'static [(&'static str, Self)] =
        &[("ortho", Self::Ortho), ("unscaled", Self::Unscaled), ("over_n", Self::OverN)];
}

impl<T: Named> FromPyObject<'_, '_> for Choice<T> {
    type Error = PyErr;

    fn extract(given: Borrowed<'_, '_, PyAny>) -> PyResult<Self> {
        let name: String = given.extract()?;
        if let Some((_, choice)) = T::NAMES.iter().find(|known| known.0 == name) {
            return Ok(Self(*choice));
        }
        let names: Vec<_> = T::NAMES.iter().map(|known| known.0).collect();
        refuse(
            Class::Parameter,
            format!("{} '{name}': expected one of {}", T::WHAT, names.join(", ")),
        )
    }
}
