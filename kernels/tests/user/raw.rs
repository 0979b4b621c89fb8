//! Raw kernels: grids, shared memory, places of first elements.

use arrayspan_kernels::bridge::Relayout;
use arrayspan_kernels::user::{Geometry, RawKernel};

use super::sample::{on_each, singles, upload};

#[test]
fn groups_share_memory() {
    let source = "
        KERNEL turn(PARAMETERS) {
          LOCAL_ARRAY(T, tile, SHARED_BYTES / sizeof(T));
          BEGIN
          const int thread = LID(0);
          tile[thread] = x[GID(0)];
          BARRIER();
          if (GID(0) < n) y[GID(0)] = tile[LSZ(0) - 1 - thread] * factor;
        }";
    let turn = RawKernel::new("turn", "T x, i32 n, T factor", "T y", source).unwrap();
    on_each(false, |on| {
        // Both begin in the middle of their memory.
        let x = upload(on, &singles(3, 70), &[70]);
        let mut y = upload(on, &[0.5_f32; 66], &[66]);
        let inputs = [x.view().sliced(0, 6, 64).unwrap().into(), 63.into(), 2.0.into()];
        let out = y.view_mut().sliced(0, 1, 65).unwrap();
        let geometry = Geometry::new([4, 1, 1], [16, 1, 1]).sharing(16 * size_of::<f32>());
        // SAFETY: 64 threads read 64 elements and write the first 63 of 65; each group has room for its 16.
        unsafe { turn.launch(on, geometry, &inputs, &mut [out]) }.unwrap();
        let values = singles(3, 70);
        let mut expected = vec![0.5];
        expected.extend((0..63).map(|at| 2.0 * values[6 + at / 16 * 16 + 15 - at % 16]));
        expected.extend([0.5; 2]);
        assert_eq!(y.view().to_vec::<f32>().unwrap(), expected);
    });
}

#[test]
fn grids_have_three_axes_and_empty_ones_run_nothing() {
    let source = "KERNEL number(PARAMETERS) { BEGIN
        z[(GID(2) * GSZ(1) + GID(1)) * GSZ(0) + GID(0)] += (i32)(100 * GID(2) + 10 * GID(1) + GID(0)); }";
    let number = RawKernel::new("number", "", "inout i32 z", source).unwrap();
    on_each(false, |on| {
        let mut z = upload(on, &[1_i32; 48], &[48]);
        for groups in [[0, 1, 1], [2, 3, 1]] {
            // SAFETY: the grid has 4 by 6 by 2 threads, each with an element of its own.
            unsafe {
                number.launch(on, Geometry::new(groups, [2, 2, 2]), &[], &mut [z.view_mut()])
            }
            .unwrap();
        }
        let expected: Vec<i32> =
            (0..48).map(|at| 1 + 100 * (at / 24) + 10 * (at / 4 % 6) + at % 4).collect();
        assert_eq!(z.view().to_vec::<i32>().unwrap(), expected);
    });
}
