use arrayspan_bridge::DType;
use arrayspan_bridge::devices::Device;
use arrayspan_operators::MatrixMult;

use super::*;
use crate::engine::arguments::workspace_with;
use crate::engine::workspace::Scalars;
use crate::{Solver, Stopped};

/// As on a device without 64-bit floating point.
#[test]
fn scalars_of_thirty_two_bits_serve_data_and_operators_of_every_size() -> Result<()> {
    let on = arrayspan_kernels::on(Device::cpu())?;
    let entry = |i: usize| ((i * 37 + 11) % 23) as f32 / 23.0 - 0.4;
    let solve = |operator: f32, data: f32, scalars: DType| -> Result<Vec<f32>> {
        let mut matrix: Vec<f32> = (0..30 * 10).map(|i| entry(i) * operator).collect();
        (0..10).for_each(|i| matrix[i * 11] += 3.0 * operator);
        let a = MatrixMult::new(Array::from_vec(matrix, [30, 10])?.into_shared(), &[])?;
        let y = Array::from_vec((0..30).map(|i| entry(i * 7) * data).collect(), [30])?;
        let solver = Cgls { stop: Stop::after(300), check_every: 300, damping: 0.0 };
        let mut workspace =
            workspace_with(&solver, &a, &*on, Scalars { dtype: scalars, columns: None })?;
        let solution = solver.solve_in(&mut workspace, &*on, &a, y.view(), None, &mut ())?;
        assert_eq!(solution.stopped, Stopped::Precision, "{operator:e} {data:e}");
        Ok(solution.x.view().to_vec::<f32>()?.iter().map(|x| x / (data / operator)).collect())
    };
    let reference = solve(1.0, 1.0, DType::Float64)?;
    for (operator, data) in [
        (1.0, 1.0),
        (1.0, 1e-23),
        (1.0, 1e18),
        (1.0, 1e-30),
        (1e-15, 1e15),
        (1e-36, 1.0),
        (1e-36, 1e-36),
        (1e36, 1.0),
        (1e36, 1e36),
        (1e15, 1.0),
        (1e-15, 1.0),
    ] {
        for (found, expected) in solve(operator, data, DType::Float32)?.iter().zip(&reference) {
            let off = (found - expected).abs();
            assert!(off < 1e-5, "{operator:e} {data:e}: {found} is not {expected}");
        }
    }
    Ok(())
}
