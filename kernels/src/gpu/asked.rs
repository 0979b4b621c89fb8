//! By what a call is known again: all that its launch depends on, beside the device.

use arrayspan_bridge::devices::Memory;
use arrayspan_bridge::iteration::{Axes, address};
use arrayspan_bridge::{DType, Expression, Layout, Operand, OperandMut};
use smallvec::SmallVec;

use crate::factors::{Factors, Known};
use crate::gather::WeakGather;
use crate::verb::{Call, DotCall, DotOf, Epilogue, Factor, Spans, StencilSumCall, WeakStencil};
use crate::{Reduction, Scan};

/// Blocks that lie alike within so many bytes are as aligned for every access.
const ALIGNED: usize = 256;

/// A call, as it is looked for.
pub(super) struct Asked<'c> {
    call: &'c Call<'c>,
    operands: SmallVec<[&'c Operand<'c>; 6]>,
    /// Where those of what is computed of sums begin. With it each operand is the one that it was in a call like it: there are as many
    /// outputs and dots as are compared.
    behind: usize,
    /// Those of the factors: a zero is not one of the other sign.
    bits: [u64; 4],
}

/// The same to be kept. It keeps nothing alive: a stencil or a matrix that has gone is not asked for again.
#[derive(Debug)]
pub(super) struct Key {
    what: What,
    places: SmallVec<[Place; 3]>,
    behind: usize,
    bits: [u64; 4],
}

/// What is done.
#[derive(Debug)]
enum What {
    Map(Expression),
    MapMany(Vec<Expression>, Vec<Summed>, Behind),
    Copy,
    CopyMapped(Vec<Axes<Spans>>),
    Stencil(WeakStencil, Option<Summed>, Behind),
    StencilEach(WeakStencil),
    StencilSum(Vec<(WeakStencil, Weighted)>),
    Reduce(Reduction, Expression, usize, Vec<usize>, Behind),
    Gather(WeakGather),
    Scan(Scan),
}

/// The arrays of a dot, and the bits of the factor of their differences.
type Summed = ([DotOf; 2], Option<u64>);

/// What is computed of the sums.
type Behind = Vec<Expression>;

/// Whether there are weights before and after a stencil, and whether they are conjugated.
type Weighted = [Option<bool>; 2];

/// Where an operand lies.
#[derive(Debug)]
struct Place {
    dtype: DType,
    layout: Layout,
    /// How far the block is from where every access is aligned.
    apart: usize,
    /// The first operand of the same block, and the first at the same address: blocks of one buffer that was imported twice are two,
    /// but plans may take what lies there for one array.
    shared: [usize; 2],
}

impl<'c> Asked<'c> {
    /// `None` of calls that are planned each time.
    pub(super) fn of(call: &'c Call<'c>) -> Option<Self> {
        let mut operands = SmallVec::new();
        let (mut factors, mut epilogue) = (None, None);
        match call {
            Call::Map(call) => {
                operands.push(call.out.as_operand());
                operands.extend(&call.inputs);
            }
            Call::MapMany(call) => {
                operands.extend(call.outs.iter().map(|out| out.as_operand()));
                operands.extend(&call.inputs);
                operands.extend(call.dots.iter().map(|dot| dot.out.as_operand()));
                epilogue = Some(&call.epilogue);
            }
            Call::Copy(call) => {
                operands.extend([call.y.as_operand(), &call.x]);
                factors = Some(&call.factors);
            }
            Call::CopyMapped(call) => {
                operands.push(call.y.as_operand());
                operands.extend(call.sources.iter().map(|source| &source.x));
                factors = Some(&call.factors);
            }
            Call::Stencil(call) => {
                operands.extend([call.y.as_operand(), &call.x]);
                operands.extend(call.norm.iter().map(|norm| norm.out.as_operand()));
                epilogue = Some(&call.epilogue);
                factors = Some(&call.factors);
            }
            Call::StencilEach(call) => {
                operands.extend([call.y.as_operand(), &call.x]);
                factors = Some(&call.factors);
            }
            Call::StencilSum(call) => {
                operands.push(call.y.as_operand());
                for term in &call.terms {
                    operands.push(&term.x);
                    let weights = [&term.before, &term.after].into_iter().flatten();
                    operands.extend(weights.map(|factor| &factor.array));
                }
                factors = Some(&call.factors);
            }
            Call::Reduce(call) => {
                operands.push(call.out.as_operand());
                operands.extend(&call.inputs);
                epilogue = Some(&call.epilogue);
            }
            Call::Gather(call) => {
                operands.extend([call.y.as_operand(), &call.x]);
                factors = Some(&call.factors);
            }
            Call::Scan(call) => {
                operands.extend([call.y.as_operand(), &call.x]);
                factors = Some(&call.factors);
            }
            _ => return None,
        }
        let behind = operands.len();
        operands.extend(epilogue.into_iter().flat_map(of_epilogue));
        Some(Self { call, operands, behind, bits: factors.map_or(Some([0; 4]), bits)? })
    }

    /// The block of an operand.
    pub(super) fn block(&self, number: usize) -> Option<&Memory> {
        self.operands.get(number).map(|operand| operand.memory())
    }

    /// The operand in a block.
    pub(super) fn operand(&self, block: *const Memory) -> Option<usize> {
        self.operands.iter().position(|operand| std::ptr::eq(operand.memory(), block))
    }

    /// The first operands of the same block, and at the same address, as this one.
    fn shared(&self, number: usize) -> [usize; 2] {
        let own = self.operands[number].memory();
        let first = |same: &dyn Fn(&Memory) -> bool| {
            self.operands.iter().position(|operand| same(operand.memory())).unwrap_or(number)
        };
        [first(&|other| std::ptr::eq(own, other)), first(&|other| own.address() == other.address())]
    }

    pub(super) fn key(&self) -> Option<Key> {
        let place = |(number, operand): (usize, &&Operand<'_>)| Place {
            dtype: operand.dtype(),
            layout: operand.layout().clone(),
            apart: apart(operand),
            shared: self.shared(number),
        };
        let places = self.operands.iter().enumerate().map(place).collect();
        Some(Key { what: What::of(self.call)?, places, behind: self.behind, bits: self.bits })
    }
}

impl Key {
    pub(super) fn is(&self, asked: &Asked<'_>) -> bool {
        let same = |(number, place): (usize, &Place)| {
            let operand = asked.operands[number];
            place.dtype == operand.dtype()
                && place.layout == *operand.layout()
                && place.apart == apart(operand)
                && place.shared == asked.shared(number)
        };
        self.bits == asked.bits
            && self.places.len() == asked.operands.len()
            && self.behind == asked.behind
            && self.what.is(asked.call)
            && self.places.iter().enumerate().all(same)
    }
}

impl What {
    fn of(call: &Call<'_>) -> Option<Self> {
        Some(match call {
            Call::Map(call) => Self::Map(call.expression.clone()),
            Call::MapMany(call) => Self::MapMany(
                call.expressions.clone(),
                call.dots.iter().map(summed).collect(),
                computed(&call.epilogue).to_vec(),
            ),
            Call::Copy(_) => Self::Copy,
            Call::CopyMapped(call) => {
                Self::CopyMapped(call.sources.iter().map(|source| source.axes.clone()).collect())
            }
            Call::Stencil(call) => {
                let norm = call.norm.as_ref().map(summed);
                Self::Stencil(call.stencil.downgrade(), norm, computed(&call.epilogue).to_vec())
            }
            Call::StencilEach(call) => Self::StencilEach(call.stencil.downgrade()),
            Call::StencilSum(call) => {
                let terms = call.terms.iter().map(|term| term.stencil.downgrade());
                Self::StencilSum(terms.zip(weighted(call)).collect())
            }
            Call::Reduce(call) => Self::Reduce(
                call.reduction,
                call.expression.clone(),
                call.moments,
                call.axes.clone(),
                computed(&call.epilogue).to_vec(),
            ),
            Call::Gather(call) => Self::Gather(call.gather.downgrade()),
            Call::Scan(call) => Self::Scan(call.scan),
            _ => return None,
        })
    }

    fn is(&self, call: &Call<'_>) -> bool {
        match (self, call) {
            (Self::Map(own), Call::Map(call)) => same(own, &call.expression),
            (Self::MapMany(own, dots, behind), Call::MapMany(call)) => {
                dots.iter().copied().eq(call.dots.iter().map(summed))
                    && all_same(own, &call.expressions)
                    && all_same(behind, computed(&call.epilogue))
            }
            (Self::Copy, Call::Copy(_)) => true,
            (Self::CopyMapped(own), Call::CopyMapped(call)) => {
                own.iter().eq(call.sources.iter().map(|source| &source.axes))
            }
            (Self::Stencil(own, norm, behind), Call::Stencil(call)) => {
                *norm == call.norm.as_ref().map(summed)
                    && own.is(&call.stencil)
                    && all_same(behind, computed(&call.epilogue))
            }
            (Self::StencilEach(own), Call::StencilEach(call)) => own.is(&call.stencil),
            (Self::StencilSum(own), Call::StencilSum(call)) => {
                own.len() == call.terms.len()
                    && own.iter().zip(&call.terms).all(|((own, _), term)| own.is(&term.stencil))
                    && own.iter().map(|(_, weighted)| *weighted).eq(weighted(call))
            }
            (Self::Reduce(reduction, own, moments, axes, behind), Call::Reduce(call)) => {
                (*reduction, *moments) == (call.reduction, call.moments)
                    && *axes == call.axes
                    && same(own, &call.expression)
                    && all_same(behind, computed(&call.epilogue))
            }
            (Self::Gather(own), Call::Gather(call)) => own.is(&call.gather),
            (Self::Scan(own), Call::Scan(call)) => *own == call.scan,
            _ => false,
        }
    }
}

/// Whether two expressions are one, with the same bits of all constants.
fn same(a: &Expression, b: &Expression) -> bool {
    let bits = |a: &Expression| {
        a.constants().iter().map(|value| [value.re, value.im].map(f64::to_bits)).collect::<Vec<_>>()
    };
    a == b && (a.constants().is_empty() || bits(a) == bits(b))
}

fn all_same(a: &[Expression], b: &[Expression]) -> bool {
    a.len() == b.len() && a.iter().zip(b).all(|(a, b)| same(a, b))
}

fn summed(dot: &DotCall<'_>) -> Summed {
    (dot.of, dot.terms.factor().map(f64::to_bits))
}

/// The arrays of what is computed of sums.
fn of_epilogue<'c>(epilogue: &'c Epilogue<'c>) -> impl Iterator<Item = &'c Operand<'c>> {
    let outs = epilogue.numbers().into_iter().flat_map(|numbers| &numbers.outs);
    let inputs = epilogue.numbers().into_iter().flat_map(|numbers| &numbers.inputs);
    outs.map(OperandMut::as_operand).chain(inputs)
}

fn computed<'c>(epilogue: &'c Epilogue<'_>) -> &'c [Expression] {
    epilogue.numbers().map_or(&[], |numbers| &numbers.expressions)
}

fn weighted(call: &StencilSumCall<'_>) -> impl Iterator<Item = Weighted> {
    let conjugated = |factor: &Option<Factor<'_>>| factor.as_ref().map(|factor| factor.conjugated);
    call.terms.iter().map(move |term| [&term.before, &term.after].map(conjugated))
}

/// Those of factors that the host knows.
fn bits(factors: &Factors<'_>) -> Option<[u64; 4]> {
    let Known { alpha, beta } = factors.known()?;
    Some([alpha.re, alpha.im, beta.re, beta.im].map(f64::to_bits))
}

fn apart(operand: &Operand<'_>) -> usize {
    address(operand.memory()) % ALIGNED
}
