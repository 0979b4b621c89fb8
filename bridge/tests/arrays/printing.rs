//! What arrays print.

use arrayspan_bridge::devices::{Device, Scope};
use arrayspan_bridge::{Array, Conversion, DType, Relayout};
use num_complex::Complex;

use super::common::{accelerators, counting};
use super::devices;

#[test]
fn small_arrays_are_printed_whole_in_columns_on_every_device() {
    for device in devices() {
        let values = vec![1.0_f32, -2.5, 30.0, 0.125, 5.0, -60.75];
        let (array, _) = Array::from_vec(values, [2, 3]).unwrap().into_device(device).unwrap();
        let expected = format!(
            "[[  1.000,  -2.500,  30.000],\n [  0.125,   5.000, -60.750]]\nArray([2, 3] Float32 on {device})"
        );
        assert_eq!(array.to_string(), expected);
        assert_eq!(array.view().to_string(), expected);
        assert_eq!(array.into_shared().to_string(), expected);
    }
}

#[test]
fn numbers_have_the_decimals_they_need_or_those_asked_for() {
    let text = |values: &[f64]| {
        let text = Array::from_slice(values, [values.len()]).unwrap().to_string();
        text.lines().next().unwrap().to_owned()
    };
    assert_eq!(text(&[1.0, 2.0, -3.0]), "[ 1.0,  2.0, -3.0]");
    assert_eq!(text(&[0.5, 0.25]), "[0.50, 0.25]");
    assert_eq!(text(&[1.0 / 3.0, 0.0]), "[0.3333, 0.0000]");
    assert_eq!(text(&[1e20, 1.0]), "[1.0e20,  1.0e0]");
    assert_eq!(text(&[1.5e-20, -1.25e3]), "[1.50e-20,  -1.25e3]");
    assert_eq!(text(&[f64::NAN, f64::INFINITY, -1.0]), "[ NaN,  inf, -1.0]");
    assert_eq!(text(&[f64::NEG_INFINITY, f64::NAN]), "[-inf,  NaN]");
    assert_eq!(text(&[1e-300, f64::NAN, f64::NEG_INFINITY]), "[1.0e-300,      NaN,     -inf]");
    let array = Array::from_slice(&[1.0 / 3.0, 2.0], [2]).unwrap();
    assert_eq!(format!("{array:.2}").lines().next(), Some("[0.33, 2.00]"));
    assert_eq!(format!("{array:.0}").lines().next(), Some("[0, 2]"));
}

#[test]
fn integers_truth_values_and_complex_numbers_are_printed_as_they_are() {
    let first = |array: &Array| array.to_string().lines().next().unwrap().to_owned();
    let of = |array: arrayspan_bridge::Result<Array>| first(&array.unwrap());
    assert_eq!(
        of(Array::from_slice(&[1_u64, u64::MAX], [2])),
        "[                   1, 18446744073709551615]"
    );
    assert_eq!(
        of(Array::from_slice(&[i64::MIN, 7], [2])),
        "[-9223372036854775808,                    7]"
    );
    assert_eq!(of(Array::from_slice(&[true, false], [2])), "[ true, false]");
    let z = [Complex::new(1.0_f32, -2.5), Complex::new(-0.5, 0.0)];
    assert_eq!(of(Array::from_slice(&z, [2])), "[ 1.0-2.5i, -0.5+0.0i]");
    let z = [Complex::new(f64::NAN, f64::INFINITY)];
    assert_eq!(of(Array::from_slice(&z, [1])), "[NaN+infi]");
}

#[test]
fn scalars_and_arrays_without_elements_are_printed() {
    for device in devices() {
        let scalar = Array::full([], 2.5_f32, device).unwrap();
        assert_eq!(scalar.to_string(), format!("2.5\nArray([] Float32 on {device})"));
        let empty = Array::zeros([3, 0], DType::Int8, device).unwrap();
        assert_eq!(empty.to_string(), format!("[]\nArray([3, 0] Int8 on {device})"));
    }
}

#[test]
fn of_long_axes_the_ends_are_printed_with_dots_between() {
    for device in devices() {
        let (array, _) = Array::from(counting(&[1000])).into_device(device).unwrap();
        let expected =
            format!("[  0,   1,   2, ..., 997, 998, 999]\nArray([1000] Int32 on {device})");
        assert_eq!(array.to_string(), expected);
        let (array, _) = Array::from(counting(&[100, 5])).into_device(device).unwrap();
        let view = array.view().permuted(&[1, 0]).unwrap().reversed(0).unwrap();
        let text = view.to_string();
        let mut lines = text.lines();
        assert_eq!(lines.next(), Some("[[  4,   9,  14, ..., 489, 494, 499],"));
        assert_eq!(lines.nth(3), Some(" [  0,   5,  10, ..., 485, 490, 495]]"));
    }
}

#[test]
fn matrices_are_apart_by_an_empty_line() {
    let array = Array::from(counting(&[2, 2, 2]));
    let text = array.to_string();
    let expected = "[[[0, 1],\n  [2, 3]],\n\n [[4, 5],\n  [6, 7]]]\nArray([2, 2, 2] Int32 on cpu)";
    assert_eq!(text, expected);
}

#[test]
fn rows_that_are_too_wide_are_broken_in_columns() {
    let text = Array::from(counting(&[200])).to_string();
    let lines: Vec<&str> = text.lines().collect();
    assert!(lines.iter().all(|line| line.len() <= 101), "{text}");
    assert_eq!(lines[1].find("20"), lines[0].find("  0").map(|at| at + 1), "{text}");
    let numbers = text.split(']').next().unwrap().trim_start_matches('[').split(',');
    let numbers: Vec<i32> = numbers.map(|number| number.trim().parse().unwrap()).collect();
    assert_eq!(numbers, (0..200).collect::<Vec<_>>());
}

#[test]
fn every_dtype_prints_on_every_device() {
    for device in devices() {
        for dtype in DType::all() {
            let array = match Array::ones([300, 3], dtype, device) {
                Ok(array) => array,
                Err(_) => Array::empty([300, 3], dtype, &device.stream().unwrap()).unwrap(),
            };
            let text = array.to_string();
            assert!(text.ends_with(&format!("Array([300, 3] {dtype} on {device})")), "{text}");
            assert!(!text.contains("cannot be read"), "{text}");
            assert_eq!(text.lines().count(), 8, "{text}");
        }
    }
}

#[test]
fn small_floats_are_printed_by_their_value() {
    let stream = Device::cpu().stream().unwrap();
    let array = Array::from_slice(&[0.5_f32, -1.5, 448.0], [3]).unwrap();
    let small = array.view().convert(DType::Float8E4M3Fn, &Conversion::EXACT, &stream).unwrap();
    assert_eq!(small.to_string(), "[  0.5,  -1.5, 448.0]\nArray([3] Float8E4M3Fn on cpu)");
}

#[test]
fn only_what_is_shown_comes_to_the_host() {
    for device in accelerators() {
        let array = Array::zeros([257, 389, 641], DType::UInt8, device).unwrap();
        let scope = Scope::new("printing").enter().unwrap();
        assert!(array.to_string().contains("..."));
        let peak = |device| scope.statistics(device).peak_bytes;
        let (host, there) = (peak(Device::cpu()), peak(device));
        assert!((1..8192).contains(&host) && (1..8192).contains(&there), "{host} {there}");
    }
}

#[test]
fn arrays_of_any_rank_print_a_page_at_most() {
    for (rank, wide) in [(6, 6), (9, 9), (17, 17), (63, 20), (64, 1), (65, 1), (1000, 20)] {
        let array = Array::zeros(vec![2; wide], DType::UInt8, Device::cpu()).unwrap();
        let shape = [vec![1; rank - wide], vec![2; wide]].concat();
        let text = array.view().reshaped(&shape).unwrap().to_string();
        let elements = text.split("Array(").next().unwrap();
        let zeros = elements.matches('0').count();
        assert!(if rank > 64 { zeros == 0 } else { (2..=256).contains(&zeros) }, "{rank}: {zeros}");
        assert_eq!(elements.contains("..."), wide > 8 || rank > 64, "{rank}");
    }
}
