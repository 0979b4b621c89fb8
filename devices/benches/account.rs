//! The cost of accounting: an allocation and its end, without what a driver or a pool takes for it.
//!
//! A block of no bytes asks no driver, so what is left is the counting, and making and dropping a `Memory`.

use std::hint::black_box;

use arrayspan_devices::account::record_sites;
use arrayspan_devices::{Device, Memory, Scope, Stream};
use criterion::{Criterion, criterion_group, criterion_main};

fn once(stream: &Stream) {
    drop(black_box(Memory::allocate(0, stream)));
}

fn account(criterion: &mut Criterion) {
    let device = Device::cpu();
    let Ok(stream) = device.new_stream() else { return };
    let mut group = criterion.benchmark_group("account");
    group.bench_function("counting only", |bencher| bencher.iter(|| once(&stream)));
    if let Ok(_scope) = Scope::new("one").enter() {
        group.bench_function("in a scope", |bencher| bencher.iter(|| once(&stream)));
    }
    let outer = Scope::new("outer").limit(1 << 40).enter();
    let inner = Scope::new("inner").limit(1 << 30).enter();
    group.bench_function("in two scopes with limits", |bencher| bencher.iter(|| once(&stream)));
    drop((inner, outer));
    record_sites(true);
    group.bench_function("with the list of live blocks", |bencher| bencher.iter(|| once(&stream)));
    record_sites(false);
    device.record(true);
    group.bench_function("with a history", |bencher| bencher.iter(|| once(&stream)));
    device.record(false);
    group.finish();
}

criterion_group!(benches, account);
criterion_main!(benches);
