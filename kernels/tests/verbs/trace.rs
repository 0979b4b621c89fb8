//! What verbs cost, as `Trace` counts it.

use std::sync::Arc;

use arrayspan_kernels::bridge::devices::Device;
use arrayspan_kernels::bridge::{Array, DType};
use arrayspan_kernels::{
    Band, Coefficients, Cost, Executor, Fourier, Gather, Reduction, Scan, Stencil, StencilTerm,
    Trace, Update, Vector, VectorMut, constant, input, on, previous,
};

fn traced() -> (Arc<Trace>, Arc<dyn Executor>) {
    let trace = Arc::new(Trace::of(on(Device::cpu()).unwrap()));
    (trace.clone(), trace)
}

fn array(shape: &[usize]) -> Array {
    Array::empty(shape, DType::Float32, &Device::cpu().stream().unwrap()).unwrap()
}

fn cost(launches: usize, bytes_read: usize, bytes_written: usize, flops: usize) -> Cost {
    Cost { launches, bytes_read, bytes_written, flops }
}

#[test]
fn an_update_of_a_vector_reads_two_and_writes_one() {
    let (trace, executor) = traced();
    let (x, mut y) = (array(&[1000]), array(&[1000]));
    let scalar = array(&[]);
    let axpy = constant(2.0) * input(0) + previous();
    executor.map(&axpy, &[x.view()], y.view_mut()).unwrap();
    assert_eq!(trace.take(), cost(1, 8000, 4000, 2000));
    // A number is read once, however often it is used.
    executor.map(&(input(0) * input(1)), &[x.view(), scalar.view()], y.view_mut()).unwrap();
    assert_eq!(trace.take(), cost(1, 4004, 4000, 1000));
    // The trace does what it counts.
    executor.map(&constant(3.0), &[], y.view_mut()).unwrap();
    assert_eq!(trace.take(), cost(1, 0, 4000, 0));
    assert!(y.view().as_slice::<f32>().unwrap().iter().all(|y| y.to_bits() == 3.0_f32.to_bits()));
}

#[test]
fn several_outputs_read_their_inputs_once() {
    let (trace, executor) = traced();
    let (x, mut y, mut z) = (array(&[1000]), array(&[1000]), array(&[1000]));
    let twice = constant(2.0) * input(0);
    let outputs = [(twice.clone() + previous(), y.view_mut()), (twice, z.view_mut())];
    executor.map_many(&[x.view()], outputs).unwrap();
    // What both need is computed once.
    assert_eq!(trace.take(), cost(1, 8000, 8000, 2000));
}

#[test]
fn a_real_array_beside_a_complex_one_is_read_as_it_is() {
    let (trace, executor) = traced();
    let complex = |len: usize| {
        Array::empty([len], DType::Complex64, &Device::cpu().stream().unwrap()).unwrap()
    };
    let (r, z, mut product, mut size) =
        (array(&[1000]), complex(1000), complex(1000), array(&[1000]));
    executor.map(&(input(0) * input(1)), &[r.view(), z.view()], product.view_mut()).unwrap();
    assert_eq!(trace.take(), cost(1, 12_000, 8000, 1000));
    executor.map(&input(0).abs2(), &[z.view()], size.view_mut()).unwrap();
    assert_eq!(trace.take(), cost(1, 8000, 4000, 1000));
}

#[test]
fn copies_read_what_they_write_and_what_they_add_to() {
    let (trace, executor) = traced();
    let (x, mut y) = (array(&[10, 30]), array(&[10, 30]));
    let row = array(&[30]);
    executor.copy(x.view(), y.view_mut(), Update::set()).unwrap();
    assert_eq!(trace.take(), cost(1, 1200, 1200, 0));
    executor.copy(x.view(), y.view_mut(), Update::add()).unwrap();
    assert_eq!(trace.take(), cost(1, 2400, 1200, 0));
    executor.copy(row.view().broadcast(&[10, 30]).unwrap(), y.view_mut(), Update::set()).unwrap();
    assert_eq!(trace.take(), cost(1, 120, 1200, 0));
}

#[test]
fn a_sum_of_stencils_reads_each_array_once() {
    let (trace, executor) = traced();
    let [a, b, mut y] = [0; 3].map(|_| array(&[20, 30]));
    let row = array(&[30]);
    let [along, across] =
        [(0, 20), (1, 30)].map(|(axis, len)| Stencil::along(axis, Band::uniform(len, [(1, 1.0)])));
    let (along, across) = (along.unwrap(), across.unwrap());
    let plain = [StencilTerm::new(&along, a.view()), StencilTerm::new(&across, b.view())];
    executor.stencil_sum(&plain, y.view_mut(), Update::set()).unwrap();
    let taps = 2 * (600 + 600);
    assert_eq!(trace.take(), cost(1, 2 * 2400, 2400, taps));
    let (of_a, of_row) = (Coefficients::new(b.view()), Coefficients::new(row.view()));
    let directional = [
        StencilTerm { after: Some(of_a.clone()), ..StencilTerm::new(&along, a.view()) },
        StencilTerm {
            before: Some(of_a),
            after: Some(of_row),
            ..StencilTerm::new(&across, a.view())
        },
    ];
    executor.stencil_sum(&directional, y.view_mut(), Update::add()).unwrap();
    assert_eq!(trace.take(), cost(1, 2 * 2400 + 120 + 2400, 2400, taps + 3 * 600));
    // A term without coefficients is a stencil.
    executor.stencil_sum(&plain[..1], y.view_mut(), Update::set()).unwrap();
    assert_eq!(trace.steps().iter().map(|(name, _)| *name).collect::<Vec<_>>(), ["stencil"]);
}

#[test]
fn a_laplacian_is_one_pass() {
    let (trace, executor) = traced();
    let (x, mut y) = (array(&[20, 30]), array(&[20, 30]));
    let second = |len| Band::uniform(len, [(-1, 1.0), (0, -2.0), (1, 1.0)]);
    let laplacian = Stencil::new([(0, second(20)), (1, second(30))]).unwrap();
    executor.stencil(&laplacian, x.view(), y.view_mut(), Update::set()).unwrap();
    assert_eq!(trace.take(), cost(1, 2400, 2400, 2 * 6 * 600));
    executor.stencil(&laplacian, x.view(), y.view_mut(), Update::new(1.0, 0.5)).unwrap();
    assert_eq!(trace.take().bytes(), 7200);
}

#[test]
fn a_sparse_matrix_reads_the_columns_it_names_and_its_table() {
    let (trace, executor) = traced();
    let (x, mut y) = (array(&[50, 30]), array(&[4, 30]));
    // Three of four rows read different columns; an index has 4 bytes.
    let picked = Gather::pick(0, 50, [7, 3, 7, 49]).unwrap();
    executor.gather(&picked, x.view(), y.view_mut(), Update::set()).unwrap();
    assert_eq!(trace.take(), cost(1, 4 * (3 * 30) + 4 * 4, 4 * 120, 0));
    let mut back = array(&[50, 30]);
    executor.gather(&picked.adjoint(), y.view(), back.view_mut(), Update::add()).unwrap();
    let read = 4 * 120 + 4 * 1500 + 4 * 100;
    assert_eq!(trace.take(), cost(1, read, 4 * 1500, 0));
    let weights = vec![0.5.into(); 4];
    let weighted = Gather::new(1, &[2], &[30], vec![0, 2, 4], vec![0, 1, 1, 2], Some(weights));
    let mut y = array(&[50, 2]);
    executor.gather(&weighted.unwrap(), x.view(), y.view_mut(), Update::set()).unwrap();
    assert_eq!(trace.take(), cost(1, 4 * (50 * 3) + 8 * 4, 4 * 100, 2 * 4 * 50));
}

#[test]
fn running_sums_are_one_pass() {
    let (trace, executor) = traced();
    let (x, mut y) = (array(&[20, 30]), array(&[20, 30]));
    let sums = Scan::inclusive(1, 30);
    executor.scan(&sums, x.view(), y.view_mut(), Update::set()).unwrap();
    assert_eq!(trace.take(), cost(1, 2400, 2400, 2 * 600));
    executor.scan(&sums.transpose(), x.view(), y.view_mut(), Update::new(1.0, 0.5)).unwrap();
    assert_eq!(trace.take(), cost(1, 4800, 2400, 2 * 600));
    let mut less = array(&[20, 27]);
    let some = sums.without(3).unwrap();
    executor.scan(&some, x.view(), less.view_mut(), Update::set()).unwrap();
    assert_eq!(trace.take(), cost(1, 2400, 4 * 540, 2 * 540));
    let mut none = array(&[20, 0]);
    executor.scan(&sums.without(30).unwrap(), x.view(), none.view_mut(), Update::set()).unwrap();
    assert_eq!(trace.take(), Cost::default());
}

#[test]
fn a_fourier_transform_is_one_pass_where_lines_fit_local_memory() {
    let (trace, executor) = traced();
    let (x, mut y) =
        (array(&[20, 30]), Array::empty([20, 16], DType::Complex64, executor.stream()).unwrap());
    let half = Fourier::new(1, 30).unwrap().half();
    executor.fft(&half, x.view(), y.view_mut(), Update::set()).unwrap();
    // Four times 600 sums and half as many products, half of them for real numbers.
    assert_eq!(trace.take(), cost(1, 2400, 8 * 320, 20 * 30 * 4 * 3 / 4));
    let mut back = array(&[20, 30]);
    executor.fft(&half.adjoint(), y.view(), back.view_mut(), Update::add()).unwrap();
    assert_eq!(trace.take(), cost(1, 8 * 320 + 2400, 2400, 20 * 30 * 4 * 3 / 4));
    // 17 points are convolved with 40, which go from one pass to the next.
    let (x, mut y) =
        (array(&[2, 17]), Array::empty([2, 9], DType::Complex64, executor.stream()).unwrap());
    let prime = Fourier::new(1, 17).unwrap().half();
    executor.fft(&prime, x.view(), y.view_mut(), Update::set()).unwrap();
    let between = 8 * 2 * 40;
    assert_eq!(trace.take(), cost(2, 4 * 34 + between, 8 * 18 + between, 2 * 17 * 4 * 3 / 4));
    // Nothing but zeros.
    let mut y = Array::empty([2, 9], DType::Complex64, executor.stream()).unwrap();
    executor.fft(&prime.of_extent(0), array(&[2, 0]).view(), y.view_mut(), Update::set()).unwrap();
    assert_eq!(trace.take(), cost(1, 0, 8 * 18, 0));
}

#[test]
fn sums_take_one_launch_however_long_they_are() {
    let (trace, executor) = traced();
    let mut out = array(&[]);
    let (short, long) = (array(&[4096]), array(&[4097]));
    executor.sum(&input(0), &[short.view()], out.view_mut()).unwrap();
    assert_eq!(trace.take(), cost(1, 4 * 4096, 4, 4096));
    executor.sum(&input(0).abs2(), &[long.view()], out.view_mut()).unwrap();
    assert_eq!(trace.take(), cost(1, 4 * 4097, 4, 2 * 4097));
    let mut rows = array(&[64]);
    let x = array(&[64, 128]);
    executor.reduce(Reduction::Maximum, &input(0), &[x.view()], &[1], rows.view_mut()).unwrap();
    assert_eq!(trace.take(), cost(1, 4 * 64 * 128, 4 * 64, 64 * 128));
}

#[test]
fn wider_results_and_numbers_count_with_their_own_bytes() {
    let (trace, executor) = traced();
    let (x, mut y) = (array(&[5000]), array(&[5000]));
    let stream = Device::cpu().stream().unwrap();
    let mut wide = Array::empty([], DType::Float64, &stream).unwrap();
    executor.sum(&input(0).abs2(), &[x.view()], wide.view_mut()).unwrap();
    assert_eq!(trace.take(), cost(1, 4 * 5000, 8, 2 * 5000));
    let update = previous() + input(1) * input(0);
    executor.map(&update, &[x.view(), wide.view()], y.view_mut()).unwrap();
    assert_eq!(trace.take(), cost(1, 8 * 5000 + 8, 4 * 5000, 2 * 5000));
}

#[test]
fn matrix_products_read_each_factor_once() {
    let (trace, executor) = traced();
    let (a, b, mut c) = (array(&[5, 6]), array(&[6, 7]), array(&[5, 7]));
    executor.gemm(a.view(), false, b.view(), c.view_mut(), Update::set()).unwrap();
    assert_eq!(trace.take(), cost(1, 4 * (30 + 42), 4 * 35, 2 * 5 * 6 * 7));
}

#[test]
fn steps_are_kept_in_order_until_they_are_taken() {
    let (trace, executor) = traced();
    let (x, mut y) = (array(&[3]), array(&[3]));
    let mut out = array(&[]);
    executor.copy(x.view(), y.view_mut(), Update::set()).unwrap();
    executor.sum(&input(0), &[y.view()], out.view_mut()).unwrap();
    let names: Vec<_> = trace.steps().into_iter().map(|(name, _)| name).collect();
    assert_eq!(names, ["copy", "reduce"]);
    assert_eq!(trace.take(), cost(2, 24, 16, 3));
    assert_eq!((trace.steps().len(), trace.take()), (0, Cost::default()));
}

#[test]
fn refused_and_empty_calls_cost_nothing() {
    let (trace, executor) = traced();
    let (x, mut y) = (array(&[0, 3]), array(&[0, 3]));
    executor.copy(x.view(), y.view_mut(), Update::set()).unwrap();
    assert_eq!(trace.take(), Cost::default());
    let (x, mut y) = (array(&[3]), array(&[4]));
    executor.copy(x.view(), y.view_mut(), Update::set()).unwrap_err();
    assert!(trace.steps().is_empty());
}

#[test]
fn vector_arithmetic_moves_what_its_formula_names() {
    let (trace, executor) = traced();
    let (x, mut y) = (array(&[1000]), array(&[1000]));
    let (mut alpha, mut z) = (array(&[]), array(&[1000]));
    y.add_scaled_on(&*executor, 2.0, &x).unwrap();
    assert_eq!(trace.take(), cost(1, 8000, 4000, 2000));
    y.add_scaled_on(&*executor, &alpha, &x).unwrap();
    assert_eq!(trace.take(), cost(1, 8004, 4000, 2000));
    z.assign_on(&*executor, &x + &alpha * &y - &x).unwrap();
    assert_eq!(trace.take(), cost(1, 8004, 4000, 3000));
    x.dot_into(&*executor, &y, &mut alpha).unwrap();
    assert_eq!(trace.take(), cost(1, 8000, 4, 3000));
    x.dot_into(&*executor, &x, &mut alpha).unwrap();
    assert_eq!(trace.take(), cost(1, 4000, 4, 3000));
    x.norm_squared_into(&*executor, &mut alpha).unwrap();
    assert_eq!(trace.take(), cost(1, 4000, 4, 2000));
    (&x - &y).norm_into(&*executor, &mut alpha).unwrap();
    assert_eq!(trace.take(), cost(2, 8004, 8, 3001));
}
