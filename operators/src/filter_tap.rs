//! The numbers of filters.

use num_complex::{Complex32, Complex64};

/// A number that filters are made of, real or complex, of 32 or 64 bits. (An `Into<Complex64>` would not do: `f32` has none.)
///
/// ```
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// use arrayspan_operators::kernels::bridge::DType;
/// use arrayspan_operators::prelude::*;
/// let space = Space::new([100], DType::Float32)?;
/// let smooth = Convolve1D::new(space, 0, &[0.25_f32, 0.5, 0.25], 1)?;
/// # Ok(()) }
/// ```
pub trait FilterTap: Copy {
    /// The same number, of 64 bits.
    fn to_complex(self) -> Complex64;
}

impl FilterTap for f32 {
    fn to_complex(self) -> Complex64 {
        f64::from(self).into()
    }
}

impl FilterTap for f64 {
    fn to_complex(self) -> Complex64 {
        self.into()
    }
}

impl FilterTap for Complex32 {
    fn to_complex(self) -> Complex64 {
        Complex64::new(self.re.into(), self.im.into())
    }
}

impl FilterTap for Complex64 {
    fn to_complex(self) -> Complex64 {
        self
    }
}
