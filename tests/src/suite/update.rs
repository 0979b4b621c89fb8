//! `y ← alpha · A x + beta · y`

use arrayspan_bridge::{Array, DType};
use arrayspan_kernels::{Factor, Update};
use arrayspan_operators::{Result, Space};
use num_complex::Complex64;

use super::{Case, Cell, Direction, Run, Values, Verdict};

/// `y ← alpha · A x + beta · y` is what it says; with `beta = 0` the old `y` is not read, even if it is NaN; a
/// factor that the dtype cannot hold is refused.
///
/// # Errors
/// When it does not hold.
pub fn law(cell: &Cell, case: &Case) -> Verdict {
    let operator = case.build(cell)?;
    for direction in Direction::BOTH {
        let (from, to) = direction.spaces(&*operator);
        let (x, y) = (Values::random(from, 5), Values::random(to, 6));
        for arrangements in cell.arrangements(case) {
            let run = Run::new(cell, &*operator, direction).arranged(arrangements);
            let result = run.of(&x)?;
            for (alpha, beta, on_device) in cell.share(case, &factors(to.dtype())) {
                let expected = result.combined(alpha, &y, beta);
                let size = alpha.norm() * result.norm() + beta.norm() * y.norm();
                let bound = cell.tolerance(from.len().max(to.len())) * size;
                let place = if on_device { ", on the device" } else { "" };
                let what =
                    format!("{direction:?}, alpha {alpha}, beta {beta}{place}, {arrangements:?}");
                let loaded = if on_device { Some(loaded(cell, to, [alpha, beta])?) } else { None };
                let update = match &loaded {
                    Some([alpha, beta]) => Update::new(alpha, -Factor::from(beta)),
                    None => Update::new(alpha, beta),
                };
                run.update(&x, &y, update)?.expect_near(&expected, bound, &what)?;
                if beta == Complex64::default() {
                    let nan = Values::filled(to, Complex64::new(f64::NAN, f64::NAN));
                    let what = format!("{what} over NaN");
                    run.update(&x, &nan, update)?.expect_near(&expected, bound, &what)?;
                }
            }
            let refused = Update::new(Complex64::new(1.0, 1.0), 0.0);
            if !to.dtype().is_complex() && run.update(&x, &y, refused).is_ok() {
                return Err(format!("{direction:?}: a complex alpha for {}", to.dtype()).into());
            }
        }
    }
    Ok(())
}

/// Alpha, and what beta is the negative of, where the operator runs.
fn loaded(cell: &Cell, of: &Space, [alpha, beta]: [Complex64; 2]) -> Result<[Array; 2]> {
    let cell = Cell { dtype: of.dtype(), ..*cell };
    let scalar = |value| {
        let space = Space::new([], cell.dtype)?;
        cell.array(&Values::filled(&space, value))
    };
    Ok([scalar(alpha)?, scalar(-beta)?])
}

/// Alpha and beta, and whether they are on the device.
fn factors(dtype: DType) -> Vec<(Complex64, Complex64, bool)> {
    let real = [(0.75, -1.25), (1.0, 1.0), (-2.0, 0.0), (0.0, 0.5), (1.0, 0.0), (0.0, 0.0)];
    let mut all: Vec<_> = real.map(|(alpha, beta)| (alpha.into(), beta.into())).to_vec();
    if dtype.is_complex() {
        let complex = Complex64::new;
        let others = [
            (complex(-0.5, 0.25), complex(1.5, 0.75)),
            (complex(0.5, -1.5), complex(0.0, 0.0)),
            (complex(0.0, 1.0), complex(0.0, -1.0)),
        ];
        all.splice(0..0, others);
    }
    let known = all.iter().map(|&(alpha, beta)| (alpha, beta, false));
    // Off the host each case has its turn, so that none of these takes a kernel more.
    let loaded = all.iter().map(|&(alpha, beta)| (alpha, beta, true));
    known.chain(loaded).collect()
}
