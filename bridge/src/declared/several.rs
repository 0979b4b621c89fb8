//! Several arrays: tuples, arrays and vectors of them.

use arrayspan_devices::Device;

use super::Sources;
use crate::Result;
use crate::convert::{ArrayTarget, ConvertOptions, ConvertReport};

impl<T: ArrayTarget, A: Sources<T>, B: Sources<T>> Sources<T> for (A, B) {
    type Kept<'a>
        = (A::Kept<'a>, B::Kept<'a>)
    where
        Self: 'a;
    type Converted = (A::Converted, B::Converted);

    fn keep<'a>(self, options: &ConvertOptions) -> Result<Self::Kept<'a>>
    where
        Self: 'a,
    {
        Ok((self.0.keep(options)?, self.1.keep(options)?))
    }

    fn device(kept: &Self::Kept<'_>) -> Option<Device> {
        A::device(&kept.0).or_else(|| B::device(&kept.1))
    }

    fn once(
        kept: Self::Kept<'_>,
        target: &T,
        options: &ConvertOptions,
        reports: &mut Vec<ConvertReport>,
    ) -> Result<Self::Converted> {
        let a = A::once(kept.0, target, options, reports)?;
        Ok((a, B::once(kept.1, target, options, reports)?))
    }

    fn again(
        kept: &Self::Kept<'_>,
        target: &T,
        options: &ConvertOptions,
        reports: &mut Vec<ConvertReport>,
    ) -> Result<Self::Converted> {
        let a = A::again(&kept.0, target, options, reports)?;
        Ok((a, B::again(&kept.1, target, options, reports)?))
    }
}

/// Three, as a pair and one more.
impl<T: ArrayTarget, A: Sources<T>, B: Sources<T>, C: Sources<T>> Sources<T> for (A, B, C) {
    type Kept<'a>
        = ((A::Kept<'a>, B::Kept<'a>), C::Kept<'a>)
    where
        Self: 'a;
    type Converted = (A::Converted, B::Converted, C::Converted);

    fn keep<'a>(self, options: &ConvertOptions) -> Result<Self::Kept<'a>>
    where
        Self: 'a,
    {
        ((self.0, self.1), self.2).keep(options)
    }

    fn device(kept: &Self::Kept<'_>) -> Option<Device> {
        <((A, B), C) as Sources<T>>::device(kept)
    }

    fn once(
        kept: Self::Kept<'_>,
        target: &T,
        options: &ConvertOptions,
        reports: &mut Vec<ConvertReport>,
    ) -> Result<Self::Converted> {
        let ((a, b), c) = <((A, B), C) as Sources<T>>::once(kept, target, options, reports)?;
        Ok((a, b, c))
    }

    fn again(
        kept: &Self::Kept<'_>,
        target: &T,
        options: &ConvertOptions,
        reports: &mut Vec<ConvertReport>,
    ) -> Result<Self::Converted> {
        let ((a, b), c) = <((A, B), C) as Sources<T>>::again(kept, target, options, reports)?;
        Ok((a, b, c))
    }
}

impl<T: ArrayTarget, S: Sources<T>> Sources<T> for Vec<S> {
    type Kept<'a>
        = Vec<S::Kept<'a>>
    where
        Self: 'a;
    type Converted = Vec<S::Converted>;

    fn keep<'a>(self, options: &ConvertOptions) -> Result<Self::Kept<'a>>
    where
        Self: 'a,
    {
        self.into_iter().map(|array| array.keep(options)).collect()
    }

    fn device(kept: &Self::Kept<'_>) -> Option<Device> {
        kept.iter().find_map(S::device)
    }

    fn once(
        kept: Self::Kept<'_>,
        target: &T,
        options: &ConvertOptions,
        reports: &mut Vec<ConvertReport>,
    ) -> Result<Self::Converted> {
        kept.into_iter().map(|array| S::once(array, target, options, reports)).collect()
    }

    fn again(
        kept: &Self::Kept<'_>,
        target: &T,
        options: &ConvertOptions,
        reports: &mut Vec<ConvertReport>,
    ) -> Result<Self::Converted> {
        kept.iter().map(|array| S::again(array, target, options, reports)).collect()
    }
}

impl<T: ArrayTarget, S: Sources<T>, const N: usize> Sources<T> for [S; N] {
    type Kept<'a>
        = Vec<S::Kept<'a>>
    where
        Self: 'a;
    type Converted = [S::Converted; N];

    fn keep<'a>(self, options: &ConvertOptions) -> Result<Self::Kept<'a>>
    where
        Self: 'a,
    {
        Vec::from(self).keep(options)
    }

    fn device(kept: &Self::Kept<'_>) -> Option<Device> {
        Vec::<S>::device(kept)
    }

    fn once(
        kept: Self::Kept<'_>,
        target: &T,
        options: &ConvertOptions,
        reports: &mut Vec<ConvertReport>,
    ) -> Result<Self::Converted> {
        Vec::<S>::once(kept, target, options, reports).map(all)
    }

    fn again(
        kept: &Self::Kept<'_>,
        target: &T,
        options: &ConvertOptions,
        reports: &mut Vec<ConvertReport>,
    ) -> Result<Self::Converted> {
        Vec::<S>::again(kept, target, options, reports).map(all)
    }
}

/// The list as an array of the length it has.
fn all<C, const N: usize>(list: Vec<C>) -> [C; N] {
    let Ok(array) = list.try_into() else {
        unreachable!("one was kept and converted for each");
    };
    array
}
