//! Least-squares problems and what their solutions are, in 64-bit arithmetic.
#![allow(dead_code, unreachable_pub, reason = "each test program uses a part of it")]

use arrayspan_bridge::{Array, DType, devices::Device};
use arrayspan_operators::MatrixMult;
use num_complex::{Complex32, Complex64};

/// What is computed in.
pub const DTYPES: [DType; 4] =
    [DType::Float32, DType::Float64, DType::Complex64, DType::Complex128];

/// The devices where laws about this dtype are held. Where kernels are compiled slowly (PoCL) that is one dtype, as
/// `ARRAYSPAN_TEST_SEED` says, or each with `ARRAYSPAN_TEST_FULL=1`.
pub fn devices(dtype: DType) -> Vec<Device> {
    let set = |name: &str| std::env::var(name).ok().filter(|value| !value.is_empty());
    let full = set("ARRAYSPAN_TEST_FULL").is_some_and(|full| full != "0");
    let seed = set("ARRAYSPAN_TEST_SEED").map_or(0, |seed| seed.parse::<usize>().unwrap());
    let chosen = full || DTYPES[seed % DTYPES.len()] == dtype;
    let mut devices = Device::all();
    devices.retain(|device| dtype.real() == DType::Float32 || device.info().float64);
    let all = devices.len();
    devices.retain(|device| chosen || device.is_cpu() || device.info().accelerator);
    if devices.len() < all {
        println!("skipped: where kernels are compiled slowly, a seed chooses the dtype of solvers");
    }
    devices
}

/// All dtypes on the CPU, and the first one on other devices whose turn it is: kernels are compiled slowly on some.
pub fn first_elsewhere() -> impl Iterator<Item = (DType, Device)> {
    let on_each = |dtype| devices(dtype).into_iter().map(move |device| (dtype, device));
    let all = DTYPES.into_iter().flat_map(on_each);
    all.filter(|(dtype, device)| device.is_cpu() || *dtype == DTYPES[0])
}

/// The splitmix64 sequence, as numbers in ±1.
pub struct Random(pub u64);

impl Random {
    pub fn next(&mut self) -> f64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut bits = self.0;
        bits = (bits ^ (bits >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        bits = (bits ^ (bits >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        bits ^= bits >> 31;
        (bits >> 11) as f64 / (1_u64 << 52) as f64 - 1.0
    }

    pub fn number(&mut self, dtype: DType) -> Complex64 {
        let im = if dtype.is_complex() { self.next() } else { 0.0 };
        rounded(dtype, Complex64::new(self.next(), im))
    }

    pub fn numbers(&mut self, dtype: DType, len: usize) -> Vec<Complex64> {
        (0..len).map(|_| self.number(dtype)).collect()
    }
}

/// The nearest number of that dtype.
pub fn rounded(dtype: DType, value: Complex64) -> Complex64 {
    match dtype.real() {
        DType::Float32 => Complex64::new(f64::from(value.re as f32), f64::from(value.im as f32)),
        _ => value,
    }
}

pub fn epsilon(dtype: DType) -> f64 {
    if dtype.real() == DType::Float32 { f64::from(f32::EPSILON) } else { f64::EPSILON }
}

/// An array of that dtype on the host.
pub fn array(dtype: DType, values: &[Complex64], shape: &[usize]) -> Array {
    let narrow = |v: &Complex64| Complex32::new(v.re as f32, v.im as f32);
    match dtype {
        DType::Float32 => Array::from_vec(values.iter().map(|v| v.re as f32).collect(), shape),
        DType::Float64 => Array::from_vec(values.iter().map(|v| v.re).collect(), shape),
        DType::Complex64 => Array::from_vec(values.iter().map(narrow).collect(), shape),
        _ => Array::from_vec(values.to_vec(), shape),
    }
    .unwrap()
}

pub fn values(array: &Array) -> Vec<Complex64> {
    let view = array.view();
    let wide = |v: &Complex32| Complex64::new(v.re.into(), v.im.into());
    match array.dtype() {
        DType::Float32 => {
            view.to_vec::<f32>().unwrap().iter().map(|&v| f64::from(v).into()).collect()
        }
        DType::Float64 => view.to_vec::<f64>().unwrap().iter().map(|&v| v.into()).collect(),
        DType::Complex64 => view.to_vec().unwrap().iter().map(wide).collect(),
        _ => view.to_vec().unwrap(),
    }
}

pub fn norm(values: &[Complex64]) -> f64 {
    values.iter().map(Complex64::norm_sqr).sum::<f64>().sqrt()
}

/// The relative distance of two vectors.
pub fn distance(found: &[Complex64], expected: &[Complex64]) -> f64 {
    let difference: Vec<_> = found.iter().zip(expected).map(|(a, b)| a - b).collect();
    norm(&difference) / norm(expected)
}

/// A row-major matrix and data, both exact in their dtype.
#[derive(Clone, Debug)]
pub struct Problem {
    pub dtype: DType,
    pub rows: usize,
    pub columns: usize,
    pub matrix: Vec<Complex64>,
    pub y: Vec<Complex64>,
}

impl Problem {
    /// A random matrix whose columns get smaller, the last by `spread`, and data that it explains or not.
    pub fn new(
        dtype: DType,
        [rows, columns]: [usize; 2],
        spread: f64,
        explained: bool,
        random: &mut Random,
    ) -> Self {
        let scale = |j: usize| spread.powf(-(j as f64) / (columns.max(2) - 1) as f64);
        let entry = |at: usize| rounded(dtype, random.number(dtype) * scale(at % columns));
        let matrix: Vec<Complex64> = (0..rows * columns).map(entry).collect();
        let mut problem = Self { dtype, rows, columns, matrix, y: Vec::new() };
        problem.y = if explained {
            let truth = random.numbers(dtype, columns);
            problem.forward(&truth).into_iter().map(|v| rounded(dtype, v)).collect()
        } else {
            random.numbers(dtype, rows)
        };
        problem
    }

    pub fn operator(&self) -> arrayspan_operators::Operator {
        let matrix = array(self.dtype, &self.matrix, &[self.rows, self.columns]);
        MatrixMult::new(matrix.into_shared(), &[]).unwrap()
    }

    pub fn data(&self) -> Array {
        array(self.dtype, &self.y, &[self.rows])
    }

    pub fn forward(&self, x: &[Complex64]) -> Vec<Complex64> {
        self.matrix
            .chunks(self.columns)
            .map(|row| row.iter().zip(x).map(|(a, x)| a * x).sum())
            .collect()
    }

    /// The exact solution, and what a backward-stable method may be off, relatively, for `epsilon = 1`. The matrix
    /// above `damping` must have full rank.
    pub fn solution(&self, damping: f64) -> (Vec<Complex64>, f64) {
        let n = self.columns;
        let mut rows: Vec<Vec<Complex64>> = self.matrix.chunks(n).map(<[_]>::to_vec).collect();
        let mut y = self.y.clone();
        if damping != 0.0 {
            for i in 0..n {
                rows.push((0..n).map(|j| if i == j { damping } else { 0.0 }.into()).collect());
                y.push(0.0.into());
            }
        }
        let (x, condition, size) = least_squares(&rows, &y);
        let residual: Vec<Complex64> = rows
            .iter()
            .zip(&y)
            .map(|(row, y)| y - row.iter().zip(&x).map(|(a, x)| a * x).sum::<Complex64>())
            .collect();
        let relative = norm(&residual) / (size * norm(&x));
        (x, condition + condition * condition * relative)
    }
}

/// The solution by modified Gram-Schmidt, done twice, the condition (in Frobenius norms) and a lower bound of the
/// norm.
fn least_squares(rows: &[Vec<Complex64>], y: &[Complex64]) -> (Vec<Complex64>, f64, f64) {
    let (m, n) = (rows.len(), rows[0].len());
    let dot = |a: &[Complex64], b: &[Complex64]| -> Complex64 {
        a.iter().zip(b).map(|(a, b)| a.conj() * b).sum()
    };
    let mut q: Vec<Vec<Complex64>> = Vec::new();
    let mut r = vec![vec![Complex64::default(); n]; n];
    let mut rest = y.to_vec();
    let mut b = vec![Complex64::default(); n];
    for j in 0..n {
        let mut v: Vec<Complex64> = (0..m).map(|i| rows[i][j]).collect();
        for _ in 0..2 {
            for (k, q) in q.iter().enumerate() {
                let part = dot(q, &v);
                r[k][j] += part;
                v.iter_mut().zip(q).for_each(|(v, q)| *v -= part * q);
            }
        }
        let length = norm(&v);
        r[j][j] = length.into();
        for v in &mut v {
            *v /= length;
        }
        for _ in 0..2 {
            let part = dot(&v, &rest);
            b[j] += part;
            rest.iter_mut().zip(&v).for_each(|(rest, v)| *rest -= part * v);
        }
        q.push(v);
    }
    let solve = |b: &[Complex64]| {
        let mut x = b.to_vec();
        for i in (0..n).rev() {
            for j in i + 1..n {
                let known = r[i][j] * x[j];
                x[i] -= known;
            }
            x[i] /= r[i][i];
        }
        x
    };
    let frobenius = |columns: &[Vec<Complex64>]| norm(&columns.concat());
    let unit = |k: usize| (0..n).map(|i| f64::from(u8::from(i == k)).into()).collect::<Vec<_>>();
    let inverse: Vec<Vec<Complex64>> = (0..n).map(|k| solve(&unit(k))).collect();
    let size = frobenius(&r);
    (solve(&b), size * frobenius(&inverse), size / (n as f64).sqrt())
}
