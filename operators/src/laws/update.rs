//! `y ← alpha · A x + beta · y`

use arrayspan_kernels::{Factor, Update};
use num_complex::Complex64;

use super::near;
use super::trial::{Arrangement, Direction, Stop, Trial};
use super::values::{self, NAN, combined, norm};
use crate::number::text;

const ROWS: [Arrangement; 2] = [Arrangement::RowMajor; 2];

pub(super) fn hold(trial: Trial<'_>) -> Result<(), Stop> {
    for direction in Direction::BOTH {
        let [from, to] = direction.spaces(trial.operator);
        let (x, y) = (trial.random(from, 5), trial.random(to, 6));
        let result = trial.result(direction, &x)?;
        let real = [(0.75, -1.25), (1.0, 1.0), (-2.0, 0.0), (0.0, 0.5), (0.0, 0.0)];
        let complex = [((-0.5, 0.25), (1.5, 0.75)), ((0.5, -1.5), (0.0, 0.0))];
        let mut factors: Vec<[Complex64; 2]> = real.map(|(a, b)| [a.into(), b.into()]).to_vec();
        if to.dtype().is_complex() {
            let number = |(re, im)| Complex64::new(re, im);
            factors.extend(complex.map(|(a, b)| [number(a), number(b)]));
        }
        for [alpha, beta] in factors {
            let update = Update::new(alpha, beta);
            let expected = combined((alpha, &result), (beta, &y));
            let size = alpha.norm() * norm(&result) + beta.norm() * norm(&y);
            let what = |over: &str| {
                let (name, alpha, beta) = (direction.name(), text(alpha), text(beta));
                format!("{name} x with alpha {alpha} and beta {beta}{over}")
            };
            let found = trial.update(direction, &x, &y, update, ROWS)?;
            near(trial, direction, [&found, &expected], size, || what(""))?;
            if !update.reads() {
                let over = trial.update(direction, &x, &vec![NAN; y.len()], update, ROWS)?;
                near(trial, direction, [&over, &expected], size, || what(" over NaN"))?;
            }
        }
        // The same factors on the device; the sign of the second is known on the host.
        for [alpha, beta] in [[0.75, -1.25], [-2.0, 0.0]].map(|two| two.map(Complex64::from)) {
            let device = trial.devices(direction)[1];
            let scalar = |value: Complex64| values::array(&[], to.dtype(), &[value]);
            let (a, b) = (scalar(alpha)?.to(device)?.0, scalar(-beta)?.to(device)?.0);
            let update = Update::new(&a, -Factor::from(&b));
            let expected = combined((alpha, &result), (beta, &y));
            let size = alpha.norm() * norm(&result) + beta.norm() * norm(&y);
            let before = if beta == Complex64::ZERO { &vec![NAN; y.len()] } else { &y };
            let found = trial.update(direction, &x, before, update, ROWS)?;
            near(trial, direction, [&found, &expected], size, || {
                let (name, alpha, beta) = (direction.name(), text(alpha), text(beta));
                let over = if beta == "0.0" { " over NaN" } else { "" };
                format!("{name} x with alpha {alpha} and beta {beta} on the device{over}")
            })?;
        }
        let complex = Update::new(Complex64::new(1.0, 1.0), 0.0);
        if !to.dtype().is_complex() {
            match trial.update(direction, &x, &y, complex, ROWS) {
                Err(Stop::Refused(..)) => {}
                Err(other) => return Err(other),
                Ok(_) => {
                    let why = format!("{} takes a complex alpha for {to}", direction.name());
                    return Err(Stop::Broken(why));
                }
            }
        }
    }
    Ok(())
}
