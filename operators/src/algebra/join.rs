//! The data of a stack, put together of those of its parts and taken apart again.

use arrayspan_bridge::{Array, AsView, View};
use arrayspan_kernels::{Update, VectorMut};

use super::Operator;
use super::node::Kind;
use crate::form::Partition;
use crate::{Error, LinearMap, Result};

impl Operator {
    /// The data of a stack ([`vstack`](fn@crate::vstack), [`stack`](fn@crate::stack), [`block_diagonal`](fn@crate::block_diagonal)) from
    /// the data of its parts, in order; `None` stands for zeros. They are copied to where they lie in the
    /// [range](LinearMap::range), flat if that is.
    ///
    /// So data are made for least squares that are regularized by operators whose ranges do not join along an axis, as that of a
    /// [`Gradient`](crate::Gradient). The result is where the data given are. Parts of a vertical stack that are
    /// vertical stacks themselves count by their own parts.
    ///
    /// ```
    /// # fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// use arrayspan_operators::kernels::bridge::{Array, DType, devices::Device};
    /// use arrayspan_operators::prelude::*;
    /// let space = Space::new([20, 30], DType::Float32)?;
    /// let a = Restriction::new(space.clone(), 0, [3, 4, 11, 17])?;
    /// let gradient = Gradient::new(space, &[1.0, 1.0], Scheme::Forward, Edge::Zero)?;
    /// let regularized = vstack![&a, 0.1 * &gradient]?; // its data are flat
    /// let y = Array::ones([4, 30], DType::Float32, Device::cpu())?;
    /// let data = regularized.join_data([Some(&y), None])?;
    /// assert_eq!(data.shape(), [4 * 30 + 2 * 20 * 30]);
    /// let parts = regularized.split_data(&data)?;
    /// assert_eq!((parts[0].shape(), parts[1].shape()), (&[4, 30][..], &[2, 20, 30][..]));
    /// # Ok(()) }
    /// ```
    ///
    /// # Errors
    /// [`Error::Parameter`] for an operator whose range is not made of those of its parts, for another number of data than it has
    /// parts, and for no data at all; [`Error::Shape`], [`Error::DType`] and [`Error::WrongDevice`] for data that are not of
    /// the range of their part, or not where the first ones are; out of memory.
    pub fn join_data<X: AsView>(&self, data: impl IntoIterator<Item = Option<X>>) -> Result<Array> {
        let operation = "join_data";
        let (parts, partition) = self.rows(operation)?;
        let data: Vec<Option<X>> = data.into_iter().collect();
        if data.len() != parts.len() {
            let (found, expected) = (data.len(), parts.len());
            let why = format!("data of {found} parts for {}, which has {expected}", self.name());
            return Error::parameter(operation, why);
        }
        let views: Vec<Option<View<'_>>> =
            data.iter().map(|data| data.as_ref().map(AsView::as_view)).collect();
        let Some(expected) = views.iter().flatten().next().map(View::device) else {
            return Error::parameter(operation, "there are no data, of any part");
        };
        for (number, (part, view)) in parts.iter().zip(&views).enumerate() {
            let Some(view) = view else { continue };
            // Parts may be of one name.
            let operator = format!("part {number} of {}, {}", self.name(), part.name());
            let argument = "data";
            let (space, found) = (part.range(), view.device());
            if view.shape() != space.shape() {
                let (expected, found) = (space.shape().to_vec(), view.shape().to_vec());
                return Err(Error::Shape { operator, argument, expected, found });
            }
            if view.dtype() != space.dtype() {
                let (expected, found) = (space.dtype(), view.dtype());
                return Err(Error::DType { operator, argument, expected, found });
            }
            if found != expected {
                let verb = "join_data";
                let argument = format!("the data of {operator}");
                return Err(
                    arrayspan_kernels::Error::Apart { verb, argument, expected, found }.into()
                );
            }
        }
        let on = arrayspan_kernels::on(expected)?;
        let whole = partition.whole();
        let mut joined = on.empty(whole.shape(), whole.dtype())?;
        for (slice, view) in partition.slices().iter().zip(views) {
            let mut place = slice.view_mut(joined.view_mut())?;
            match view {
                Some(view) => on.copy(view, place, Update::set())?,
                None => place.assign_on(&*on, 0.0)?,
            }
        }
        Ok(joined)
    }

    /// The parts of data of a stack, each in the shape of its part's range. Nothing is copied: they are views.
    ///
    /// # Errors
    /// [`Error::Parameter`] for an operator whose range is not made of those of its parts; [`Error::Shape`] and
    /// [`Error::DType`] when the data are not of its range; [`Error::Kernel`] for strided flat data, parts of which have no view in
    /// the shape of theirs.
    pub fn split_data<'a>(&self, data: &'a (impl AsView + ?Sized)) -> Result<Vec<View<'a>>> {
        let (_, partition) = self.rows("split_data")?;
        let (data, argument) = (data.as_view(), "data");
        let (operator, whole) = (self.name().to_owned(), partition.whole());
        if data.shape() != whole.shape() {
            let (expected, found) = (whole.shape().to_vec(), data.shape().to_vec());
            return Err(Error::Shape { operator, argument, expected, found });
        }
        if data.dtype() != whole.dtype() {
            let (expected, found) = (whole.dtype(), data.dtype());
            return Err(Error::DType { operator, argument, expected, found });
        }
        partition.slices().iter().map(|slice| slice.view(data.clone())).collect()
    }

    /// The parts of a stack, as far as their ranges go, and how these lie in that of the whole.
    fn rows(&self, operation: &str) -> Result<(Vec<Self>, &Partition)> {
        let (mut operator, mut adjoint) = (self, false);
        loop {
            adjoint ^= operator.orientation().adjoint;
            match operator.node().kind() {
                // Under a name of its own.
                Kind::Named => match operator.node().parts() {
                    [inner] => operator = inner,
                    _ => break,
                },
                Kind::Blocks { domains, ranges } => {
                    let rows = if adjoint { domains } else { ranges };
                    let Some(rows) = rows else { break };
                    let turned =
                        |part: &Self| if adjoint { crate::adjoint(part) } else { part.clone() };
                    return Ok((operator.node().parts().iter().map(turned).collect(), rows));
                }
                _ => break,
            }
        }
        let why = format!("{} is no stack, whose data are those of its parts", self.name());
        Error::parameter(operation, why)
    }
}
