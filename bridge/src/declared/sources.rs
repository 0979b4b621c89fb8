//! One array or several.

use arrayspan_devices::Device;

use crate::Result;
use crate::convert::{
    ArrayKind, ArraySource, ArrayTarget, ConvertOptions, ConvertReport, Imported, run,
};

/// What a wrapped function takes and returns: one array ([`ArraySource`]), or several as a tuple, an array or a
/// `Vec`, also nested; or nothing.
pub trait Sources<T: ArrayTarget>: Sized {
    /// The arrays out of their libraries, where they are.
    type Kept<'a>
    where
        Self: 'a;
    /// The arrays as what they were converted to.
    type Converted;

    /// Takes the arrays over.
    ///
    /// # Errors
    /// As [`ArraySource::import`].
    fn keep<'a>(self, options: &ConvertOptions) -> Result<Self::Kept<'a>>
    where
        Self: 'a;

    /// The device of the first array.
    fn device(kept: &Self::Kept<'_>) -> Option<Device>;

    /// Converts the arrays, and adds a report of each.
    ///
    /// # Errors
    /// As [`convert`](crate::convert()).
    fn once(
        kept: Self::Kept<'_>,
        target: &T,
        options: &ConvertOptions,
        reports: &mut Vec<ConvertReport>,
    ) -> Result<Self::Converted>;

    /// As [`once`](Self::once), and keeps the arrays: what could be written is copied.
    ///
    /// # Errors
    /// As [`convert`](crate::convert()).
    fn again(
        kept: &Self::Kept<'_>,
        target: &T,
        options: &ConvertOptions,
        reports: &mut Vec<ConvertReport>,
    ) -> Result<Self::Converted>;
}

/// One array out of its library.
#[derive(Debug)]
pub struct Kept<'a> {
    from: ArrayKind,
    array: Imported<'a>,
}

impl<T: ArrayTarget, S: ArraySource> Sources<T> for S {
    type Kept<'a>
        = Kept<'a>
    where
        Self: 'a;
    type Converted = T::Output;

    fn keep<'a>(self, options: &ConvertOptions) -> Result<Kept<'a>>
    where
        Self: 'a,
    {
        Ok(Kept { from: S::KIND, array: self.import(options)? })
    }

    fn device(kept: &Kept<'_>) -> Option<Device> {
        Some(kept.array.device())
    }

    fn once(
        kept: Kept<'_>,
        target: &T,
        options: &ConvertOptions,
        reports: &mut Vec<ConvertReport>,
    ) -> Result<T::Output> {
        let (output, report) =
            run(kept.from, kept.array, target, options).map_err(|refused| refused.error)?;
        reports.push(report);
        Ok(output)
    }

    fn again(
        kept: &Kept<'_>,
        target: &T,
        options: &ConvertOptions,
        reports: &mut Vec<ConvertReport>,
    ) -> Result<T::Output> {
        let kept = Kept { from: kept.from, array: kept.array.again() };
        <Self as Sources<T>>::once(kept, target, options, reports)
    }
}

impl<T: ArrayTarget> Sources<T> for () {
    type Kept<'a> = ();
    type Converted = ();

    fn keep<'a>(self, _: &ConvertOptions) -> Result<()>
    where
        Self: 'a,
    {
        Ok(())
    }

    fn device((): &()) -> Option<Device> {
        None
    }

    fn once((): (), _: &T, _: &ConvertOptions, _: &mut Vec<ConvertReport>) -> Result<()> {
        Ok(())
    }

    fn again((): &(), _: &T, _: &ConvertOptions, _: &mut Vec<ConvertReport>) -> Result<()> {
        Ok(())
    }
}
