//! The line that a leak report names is the user's, not one of ours.

use arrayspan_bridge::devices::account::{leaks_since, mark, record_sites};
use arrayspan_bridge::devices::{Device, Stream};
use arrayspan_bridge::{Array, Conversion, DType, Overflow, Result, Transfer, View, stack};

/// The lines of this file that allocated what `make` leaves live.
fn lines<T>(make: impl FnOnce() -> Result<T>) -> Vec<u32> {
    let mark = mark();
    let held = make().expect("arrays that fit");
    let leaks = leaks_since(&mark);
    drop(held);
    assert!(leaks.iter().all(|leak| leak.site.file() == file!()), "{leaks:?}");
    leaks.iter().map(|leak| leak.site.line()).collect()
}

#[test]
fn whatever_makes_an_array_names_the_line_that_asked_for_it() {
    record_sites(true);
    let cpu = Device::cpu();
    let stream: Stream = cpu.stream().unwrap();
    let array = Array::from_slice(&[1.0_f32, 2.0, 3.0, 4.0], [2, 2]).unwrap();
    let view: View<'_> = array.view();
    assert_eq!(lines(|| Array::empty([3], DType::Int8, &stream)), [line!()]);
    assert_eq!(lines(|| view.to(cpu)), [line!()]);
    assert_eq!(lines(|| view.to_with(cpu, Transfer::CopyIfNeeded, &stream)), [line!()]);
    assert_eq!(lines(|| view.to_array()), [line!()]);
    let rules = Conversion::new(Overflow::Wrap);
    assert_eq!(lines(|| view.convert(DType::Float64, &rules, &stream)), [line!()]);
    assert_eq!(lines(|| stack(&[view.clone(), view.clone()], 0, cpu, &stream)), [line!()]);
    for device in Device::all().into_iter().filter(|device| !device.is_cpu()) {
        let there = lines(|| view.to(device));
        assert_eq!(there, [line!() - 1], "{device}");
    }
    record_sites(false);
}
