//! How large data and operator are, and the scale chosen for them.
//!
//! Most problems need none, and that is seen at the first gradient, which has to be computed anyway. Only where that, or the data,
//! looks too large or too small for the dtype are data measured, and the operator.

use arrayspan_bridge::{Array, DType};
use arrayspan_kernels::{Update, VectorMut};
use arrayspan_operators::LinearOperator;

use super::history::Norms;
use super::read::{largest, squared};
use super::run::{Method, Run};
use super::scale::{Scale, Sizes, exponent, power, times};
use crate::Result;

/// The exponent of `μ A` beside `μ damping ≈ 1` from which on `AᴴA + damping²` is `damping²` in every dtype.
const ALONE: i32 = -60;

impl<M: Method> Run<'_, M> {
    /// Chooses the scale, and descends for the first time.
    pub(crate) fn scaled(&mut self, damping: f64) -> Result<Vec<Norms>> {
        let (dtype, scalars) = (self.a.range().dtype(), self.w.history.dtype());
        let choose = |sizes: Sizes| Scale::of(dtype, scalars, sizes);
        self.fill_residual()?;
        if let Some(seen) = self.descend_unscaled(damping)? {
            self.lost = vec![false; seen.len()];
            return Ok(seen);
        }
        let data = self.data_size(damping)?;
        let sizes = Sizes { data, operator: None, damping: exponent(damping) };
        let first = choose(Sizes { data, ..Sizes::default() });
        let mut tried = None;
        // Most often nothing is scaled but data. A start vector can be scaled once, when all sizes are known.
        let plain = first.is_one() || !self.started || !M::DESCENDS;
        if plain && Scale::leaves(dtype, scalars, Sizes { operator: Some(0), ..sizes }) {
            self.scale_by(first)?;
            let seen = self.descend_first()?;
            let ordinary = |seen: &Norms| {
                let (residual, gradient) = (seen.scaled_residual, seen.scaled_gradient());
                let norm = exponent(gradient / residual);
                let ordinary = norm.is_some() && choose(Sizes { operator: norm, ..sizes }) == first;
                ordinary || residual == 0.0
            };
            if !M::DESCENDS || seen.iter().all(ordinary) {
                self.lost = vec![false; seen.len()];
                return Ok(seen);
            }
            tried = Some(seen);
        }
        let norm = self.operator_size()?;
        let mut sizes = Sizes { operator: norm, ..sizes };
        if sizes.data.is_none() {
            // The image of the start vector is beyond the dtype, or nothing is finite.
            let y = exponent(largest(self.on, &mut self.w.number, &self.y)?);
            let x = exponent(largest(self.on, &mut self.w.number, &self.x)?);
            sizes.data = y.max(x.and_then(|x| Some(x + norm?)));
        }
        let scale = choose(sizes);
        let seen = match tried {
            Some(seen) if scale == self.scale => seen,
            _ => {
                self.scale_by(scale)?;
                self.descend_first()?
            }
        };
        // An operator of that size may be left as it is, with less damping or none.
        self.damped_alone = norm.is_some_and(|norm| {
            let damped = sizes.damping.is_some_and(|damping| norm - damping <= ALONE);
            damped && norm + scale.operator <= ALONE
        });
        let lost = norm.is_some() && !self.started;
        let nothing = |seen: &Norms| seen.scaled_gradient() == 0.0 && seen.scaled_residual != 0.0;
        self.lost = seen.iter().map(|seen| lost && nothing(seen)).collect();
        Ok(seen)
    }

    /// Whether data are measured before anything else: norms of runs from a start vector, and of preconditioned ones, are not those of the data.
    pub(super) fn measures_data(&self) -> bool {
        self.started || self.method.preconditioner().is_some()
    }

    /// Descends for the first time without a scale, where the norms that come of it show that none is needed. Otherwise the residual is
    /// as it was.
    fn descend_unscaled(&mut self, damping: f64) -> Result<Option<Vec<Norms>>> {
        let (dtype, scalars) = (self.a.range().dtype(), self.w.history.dtype());
        let is_one = |sizes: Sizes| Scale::of(dtype, scalars, sizes).is_one();
        let damping = exponent(damping);
        let usual = Sizes { data: None, operator: Some(0), damping };
        if self.measures_data() || !is_one(usual) {
            return Ok(None);
        }
        let seen = self.descend_first()?;
        // The largest element is no larger than the norm, and no smaller than if all were alike.
        let alike = (self.y.layout().len() as f64).sqrt();
        let ordinary = |seen: &Norms| {
            let (norm, gradient) = (seen.scaled_residual, seen.scaled_gradient());
            let operator = exponent(gradient / norm);
            let known = !M::DESCENDS || operator.is_some();
            let others = if M::DESCENDS { Sizes { operator, ..usual } } else { Sizes::default() };
            let is_ordinary =
                |data: Option<i32>| data.is_some() && is_one(Sizes { data, ..others });
            known && is_ordinary(exponent(norm)) && is_ordinary(exponent(norm / alike))
        };
        if seen.iter().all(ordinary) {
            return Ok(Some(seen));
        }
        self.fill_residual()?;
        Ok(None)
    }

    /// The exponent of the largest element of data, residual and damped start.
    fn data_size(&mut self, damping: f64) -> Result<Option<i32>> {
        let (on, scalar) = (self.on, &mut self.w.number);
        let mut sizes = vec![largest(on, scalar, &self.y)?];
        if self.started {
            sizes.push(largest(on, scalar, &*M::residual(&mut self.w.vectors))?);
        }
        if !sizes.iter().all(|size| size.is_finite()) {
            return Ok(None);
        }
        let mut size = exponent(sizes.into_iter().fold(0.0, f64::max));
        if self.started
            && let Some(damping) = exponent(damping)
        {
            let model = exponent(largest(on, scalar, &self.x)?);
            size = size.max(model.map(|model| model + damping));
        }
        Ok(size)
    }

    /// The exponent of the operator's norm, or of a bound below it; `None` if it cannot be told from zero. Takes memory for
    /// a model and data.
    fn operator_size(&mut self) -> Result<Option<i32>> {
        let (on, w) = (self.on, &mut *self.w);
        let empty = |array: &Array| on.empty(array.shape(), array.dtype());
        let (mut image, mut direction) = (empty(M::residual(&mut w.vectors))?, empty(&self.x)?);
        let (residual, scalar) = (M::residual(&mut w.vectors), &mut w.number);
        // The residual as it was before anything was scaled, or the data where there is none.
        let dtype = self.a.range().dtype();
        let mut probe = (residual.view(), exponent(largest(on, scalar, residual)?));
        if probe.1.is_none() {
            probe = (self.y.clone(), exponent(largest(on, scalar, &self.y)?));
        }
        let (probe, Some(size)) = probe else { return Ok(None) };
        let far = if dtype.real() == DType::Float32 { 100 } else { 900 };
        let (mut level, mut found) = (0, None);
        for _ in 0..2 {
            image.assign_on(on, times(level - size, dtype, &probe))?;
            let (data, model) = (image.view(), direction.view_mut());
            self.a.apply_adjoint_with(&mut w.operator, on, data, model, Update::set())?;
            let gradient = largest(on, scalar, &direction)?;
            if let Some(gradient) = exponent(gradient) {
                found = Some((gradient, gradient - level));
                break;
            }
            // Products are below all numbers or beyond them.
            level = if gradient == 0.0 { far } else { -far };
        }
        let Some((gradient, guess)) = found else { return Ok(None) };
        // Near a solution gradients are small, whatever the operator is; its image is not.
        let level = (-guess / 2).clamp(-far, far);
        direction.update_on(on, |direction| times(level - gradient, dtype, direction))?;
        let (model, data) = (direction.view(), image.view_mut());
        self.a.apply_with(&mut w.operator, on, model, data, Update::set())?;
        let Some(size) = exponent(largest(on, scalar, &image)?) else {
            return Ok(Some(guess));
        };
        let image_norm = squared(on, scalar, &times(-size, dtype, &image))?.sqrt();
        let direction_norm = squared(on, scalar, &times(-level, dtype, &direction))?.sqrt();
        Ok(exponent(image_norm / direction_norm).map(|ratio| ratio + size - level))
    }

    /// `y - A x` as it stands.
    pub(crate) fn fill_residual(&mut self) -> Result<()> {
        let (w, on, dtype) = (&mut *self.w, self.on, self.y.dtype());
        let residual = M::residual(&mut w.vectors);
        if self.scale.data == 0 {
            on.copy(self.y.clone(), residual.view_mut(), Update::set())?;
        } else {
            residual.assign_on(on, times(self.scale.data, dtype, &self.y))?;
        }
        if !self.started {
            return Ok(());
        }
        let x = self.x.view();
        if self.scale.operator == 0 {
            let (residual, subtract) = (residual.view_mut(), Update::new(-1.0, 1.0));
            return Ok(self.a.apply_with(&mut w.operator, on, x, residual, subtract)?);
        }
        let mut image = on.empty(residual.shape(), dtype)?;
        self.a.apply_with(&mut w.operator, on, x, image.view_mut(), Update::set())?;
        let image = times(self.scale.operator, dtype, &image);
        Ok(residual.update_on(on, |residual| residual - image)?)
    }

    /// The residual anew, once there is a model.
    pub(crate) fn renew_residual(&mut self) -> Result<()> {
        let started = std::mem::replace(&mut self.started, true);
        let renewed = self.fill_residual();
        self.started = started;
        renewed
    }

    /// Scales what there is by another scale than before.
    fn scale_by(&mut self, scale: Scale) -> Result<()> {
        let change = scale.model() - self.scale.model();
        self.damping = power(scale.operator - self.scale.operator, self.damping);
        let before = std::mem::replace(&mut self.scale, scale);
        if self.started && change != 0 {
            let dtype = self.x.dtype();
            self.x.update_on(self.on, |x| times(change, dtype, x))?;
        }
        if scale == before { Ok(()) } else { self.fill_residual() }
    }
}
