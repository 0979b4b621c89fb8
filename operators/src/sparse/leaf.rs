//! The matrices of forms.

use std::collections::VecDeque;

use arrayspan_bridge::devices::vectors::filled;
use arrayspan_bridge::{Relayout, SharedArray};
use arrayspan_kernels::{Gather, Scan, Stencil, Tap};
use num_complex::Complex64;

use super::Sparse;
use super::algebra::{turned, zero};
use super::rows::Rows;
use crate::form::{Form, IndexMap, Orientation, Units};
use crate::laws::values::numbers;
use crate::{Error, LinearMap, Operator, Result, Space};

const ONE: Complex64 = Complex64::new(1.0, 0.0);

/// The matrix of a form between two spaces.
pub(super) fn matrix(form: &Form, domain: &Space, range: &Space) -> Result<Sparse> {
    let shape = [range.len(), domain.len()];
    match form {
        Form::Zero => zero(shape),
        Form::Identity | Form::Conjugate | Form::ToDevice { .. } => diagonal(shape, |_| ONE),
        // What has them among its parts is probed as a whole.
        Form::Real | Form::Imaginary => {
            Error::parameter("to_sparse", "parts of complex numbers have no matrix over these")
        }
        Form::Diagonal(weights) => {
            let weights = numbers(&weights.view().broadcast(domain.shape())?)?;
            diagonal(shape, |row| weights[row])
        }
        Form::Stencil(stencil) => bands(stencil, shape, domain.shape()),
        Form::Index(map) => index(map, shape),
        Form::Gather(matrix) => gather(matrix, shape, domain.shape()),
        Form::Scan(scan) => sums(scan, shape, domain.shape()),
        Form::Matrix { matrix, axis } => dense(matrix, *axis, shape, range.shape()),
        Form::Fourier(_) | Form::Projection(_) => {
            let (from, to) = (domain.clone(), range.clone());
            probed(&Operator::of("to_sparse", from, to, form.clone())?, shape)
        }
        Form::Opaque(map) => {
            let (name, from, to) = (map.name().to_owned(), domain.clone(), range.clone());
            probed(&Operator::of(name, from, to, form.clone())?, shape)
        }
    }
}

fn diagonal(shape: [usize; 2], entry: impl Fn(usize) -> Complex64) -> Result<Sparse> {
    let mut all = Rows::new(shape)?;
    for row in 0..shape[0] {
        all.add(row, entry(row));
        all.end()?;
    }
    Ok(all.finish())
}

/// Bands along axes: a tap is as many columns away as its offset is elements.
fn bands(stencil: &Stencil, shape: [usize; 2], extents: &[usize]) -> Result<Sparse> {
    let mut axes: Vec<(usize, Vec<Vec<Tap>>)> = Vec::new();
    if shape[0] > 0 {
        for (axis, band) in stencil.terms() {
            let stride = extents[axis + 1..].iter().product();
            axes.push((stride, (0..band.len()).map(|row| band.row(row)).collect()));
        }
    }
    let mut all = Rows::new(shape)?;
    for row in 0..shape[0] {
        for (stride, rows) in &axes {
            for tap in &rows[row / stride % rows.len()] {
                // On the axis, so between the first column and the last.
                let column = row.wrapping_add_signed(tap.offset.wrapping_mul(*stride as isize));
                all.add(column, tap.weight);
            }
        }
        all.end()?;
    }
    Ok(all.finish())
}

/// Each row has a one where it reads, box by box.
fn index(map: &IndexMap, shape: [usize; 2]) -> Result<Sparse> {
    let strides = |extents: &[usize]| {
        let mut strides = VecDeque::with_capacity(extents.len());
        let mut stride = 1;
        for extent in extents.iter().rev() {
            strides.push_front(stride);
            stride *= extent;
        }
        strides
    };
    let (inputs, outputs) = (strides(map.domain()), strides(map.range()));
    let mut columns = filled(shape[0], None)?;
    for found in map.boxes() {
        let Some(source) = &found.source else { continue };
        let first: usize = source.first.iter().zip(&inputs).map(|(at, stride)| at * stride).sum();
        let corner: usize = found.start.iter().zip(&outputs).map(|(at, stride)| at * stride).sum();
        for number in 0..found.extent.iter().product::<usize>() {
            let (mut rest, mut row, mut column) = (number, corner, first);
            for axis in (0..found.extent.len()).rev() {
                let at = rest % found.extent[axis];
                rest /= found.extent[axis];
                row += at * outputs[axis];
                if let Some((from, step)) = source.along[axis] {
                    // What is read lies in the input.
                    let moved = step.wrapping_mul(at as isize).wrapping_mul(inputs[from] as isize);
                    column = column.wrapping_add_signed(moved);
                }
            }
            columns[row] = Some(column);
        }
    }
    let mut all = Rows::new(shape)?;
    for column in columns {
        if let Some(column) = column {
            all.add(column, ONE);
        }
        all.end()?;
    }
    Ok(all.finish())
}

/// A sparse matrix along axes, for each index of the others alike.
fn gather(gather: &Gather, shape: [usize; 2], extents: &[usize]) -> Result<Sparse> {
    let [rows, columns] =
        [gather.rows(), gather.columns()].map(|extents| extents.iter().product::<usize>());
    let before: usize = extents[..gather.axis()].iter().product();
    let behind: usize = extents[gather.axis() + gather.columns().len()..].iter().product();
    let mut all = Rows::new(shape)?;
    for first in 0..before {
        for row in 0..rows {
            for last in 0..behind {
                for (column, weight) in gather.row(row)? {
                    all.add((first * columns + column) * behind + last, weight);
                }
                all.end()?;
            }
        }
    }
    Ok(all.finish())
}

/// Running sums along an axis: a triangle for each index of the others.
fn sums(scan: &Scan, shape: [usize; 2], extents: &[usize]) -> Result<Sparse> {
    let before: usize = extents[..scan.axis()].iter().product();
    let behind: usize = extents[scan.axis() + 1..].iter().product();
    let columns = scan.columns();
    let mut all = Rows::new(shape)?;
    for (first, row) in (0..before).flat_map(|first| (0..scan.rows()).map(move |row| (first, row)))
    {
        for last in 0..behind {
            for column in 0..columns {
                let weight = scan.entry(row, column);
                if weight != 0.0 {
                    all.add((first * columns + column) * behind + last, weight.into());
                }
            }
            all.end()?;
        }
    }
    Ok(all.finish())
}

/// A dense matrix along an axis, for each index of the others alike.
fn dense(array: &SharedArray, axis: usize, shape: [usize; 2], range: &[usize]) -> Result<Sparse> {
    let entries = numbers(&array.view())?;
    let columns = array.shape().get(1).copied().unwrap_or(0);
    let rows = array.shape().first().copied().unwrap_or(0);
    let before: usize = range[..axis].iter().product();
    let behind: usize = range[axis + 1..].iter().product();
    let mut all = Rows::new(shape)?;
    for first in 0..before {
        for row in 0..rows {
            for last in 0..behind {
                for column in 0..columns {
                    let entry = entries[row * columns + column];
                    all.add((first * columns + column) * behind + last, entry);
                }
                all.end()?;
            }
        }
    }
    Ok(all.finish())
}

/// Block of columns by block, each the results on unit vectors. Waits for each block.
pub(super) fn probed(operator: &Operator, shape: [usize; 2]) -> Result<Sparse> {
    let [rows, columns] = shape;
    let on = operator.executor()?;
    let data = operator.devices().map_or(on.device(), |devices| devices.range);
    let mut units = Units::of(operator, &*on)?;
    let count = units.count();
    let to = arrayspan_kernels::on(data)?;
    let mut block = to.empty(&[rows, count], operator.range().dtype())?;
    let (mut all, mut done) = (Rows::new([columns, rows])?, 0);
    for start in units.starts() {
        units.block(&*on, start, block.view_mut())?;
        let found = numbers(&block.view().permuted(&[1, 0])?)?;
        for column in done - start..count {
            let entries = found[column * rows..][..rows].iter().enumerate();
            let entries = entries.filter(|(_, value)| **value != Complex64::default());
            entries.for_each(|(row, value)| all.add(row, *value));
            all.end()?;
        }
        done = start + count;
    }
    let transposed = Orientation { adjoint: true, conj: true };
    Ok(turned(&all.finish(), transposed, ONE)?.into_owned())
}
