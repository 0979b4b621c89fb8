//! Representative kernels, for tests that compile them all.

use arrayspan_bridge::devices::{KernelSource, Specialisation};
use arrayspan_bridge::iteration::{IterationSpace, Runs, Start};
use arrayspan_bridge::{DType, Layout};

use super::instance::Instance;
use super::{elementwise, raw, reduction};
use crate::user::{Definition, Letters, Source, Type};

/// Every function of numbers, for real and complex ones.
const OF_BOTH: &str = "T u = T_add(T_sub(x, w), T_mul(s, T_div(y, T_neg(x))));
  u = T_scale(T_abs(u) + T_abs2(x) + T_re(y) - T_im(w), T_conj(T_sqrt(T_exp(u))));
  y = T_is_zero(u) ? T_make(1, 0) : u;
  if (i % 2 == 1) { k = k + (i32)i; }";
/// Those of real numbers alone.
const OF_REAL: &str = "T u = T_log(x) + T_sin(w) * T_cos(s) - T_tanh(x) / T_floor(w);
  y = T_min(T_pow(u, x), T_max(y, T_atan2(w, s)));
  k = 0;";

/// Kernels of users of every kind, dtype and form.
pub(in super::super) fn catalogue(dtypes: &[DType]) -> Vec<KernelSource> {
    let each = |&dtype: &DType| {
        let bodies = if dtype.is_complex() { &[OF_BOTH][..] } else { &[OF_BOTH, OF_REAL] };
        let maps = bodies.iter().flat_map(|body| elementwise(body, dtype));
        maps.chain(reductions(dtype)).chain(raw(dtype)).collect::<Vec<_>>()
    };
    dtypes.iter().flat_map(each).collect()
}

/// Of this dtype; the last input is a number.
fn instance(name: &str, outputs: &str, source: Source, dtype: DType) -> Option<Instance> {
    let definition = Definition::new(name, "T x, T w, T s", outputs, &[], source).ok()?;
    let letters = Letters::one('T', dtype);
    Some(Instance { definition, letters, by_value: vec![false, false, true] })
}

fn elementwise(body: &str, dtype: DType) -> Vec<KernelSource> {
    let shapes: [&[usize]; 3] = [&[1000], &[3, 4, 5, 6], &[1 << 16, 1 << 16]];
    let each = |shape: &&[usize]| {
        let padded: Vec<usize> = shape.iter().map(|extent| extent + 1).collect();
        let whole = Layout::contiguous(padded).ok()?;
        let part = (0..shape.len())
            .try_fold(whole, |part, axis| part.sliced(axis, 0, shape[axis]).ok())?;
        // Two outputs, two arrays, perhaps an index.
        let source = Source::Elementwise(body.into());
        let instance = instance("elementwise_kernel", "inout T y, inout i32 k", source, dtype)?;
        let operands = 4 + usize::from(instance.definition.is_indexed());
        let space = IterationSpace::new(&vec![&part; operands]);
        let starts: Vec<Start> = (0..operands).map(|at| space.start(at, 0, 1)).collect();
        let form = space.form_with(Runs::new(&starts, 1, 1), 2);
        Some(elementwise::Variant { instance, form }.source())
    };
    shapes.iter().filter_map(each).collect()
}

fn reductions(dtype: DType) -> Vec<KernelSource> {
    let source = || Source::Reduction {
        total: Type::Letter('T'),
        map: "T_scale(i, T_mul(x, T_add(w, s)))".into(),
        combine: "T_add(a, b)".into(),
        identity: "T_make(0, 0)".into(),
        finish: "y = a; count = n;".into(),
    };
    let shape = |ranks, wide, threads, along, stage| reduction::Shape {
        ranks,
        wide,
        threads,
        along,
        stage,
        baked: Vec::new(),
    };
    let shapes = [
        shape([1, 1], false, 256, true, 0),
        shape([2, 3], true, 8, false, 0),
        shape([1, 1], false, 256, true, 1),
        shape([1, 1], false, 256, true, 2),
    ];
    let each = |shape| {
        let instance = instance("reduction_kernel", "T y, i64 count", source(), dtype)?;
        Some(reduction::Variant { instance, shape }.source())
    };
    shapes.into_iter().filter_map(each).collect()
}

fn raw(dtype: DType) -> Option<KernelSource> {
    let source = "FN int at(int thread) { return thread; }
KERNEL raw_kernel(PARAMETERS) {
  LOCAL_ARRAY(T, tile, SHARED_BYTES / sizeof(T));
  BEGIN
  tile[LID(0)] = T_mul(x[GID(0)], s);
  BARRIER();
  y[GID(0)] = T_add(tile[LSZ(0) - 1 - at(LID(0))], w[0]);
}";
    let instance = instance("raw_kernel", "T y", Source::Raw(source.into()), dtype)?;
    Some(raw::Variant { instance, shared_bytes: 4096 }.source())
}
