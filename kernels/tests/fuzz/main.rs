//! Calls that are drawn, of every verb on every device, against their meaning: any shapes, layouts, dtypes, factors, bands,
//! matrices. What a call does not write must stay what it was, and the same call again gives the same bits.
//!
//! A failure says its seed, and `ARRAYSPAN_FUZZ_SEED` makes that call alone: `ARRAYSPAN_FUZZ_SEED=123 cargo test --test fuzz host::scan`.
//! `ARRAYSPAN_FUZZ_CALLS` says how many calls of a verb are made on a device; else it is a few seconds' worth,
//! and with `ARRAYSPAN_TEST_FULL=1` some minutes'. Seeds begin with that of `ARRAYSPAN_TEST_SEED`.
#![allow(
    clippy::unwrap_used,
    missing_docs,
    unreachable_pub,
    reason = "a test program exports nothing, and to panic is how it fails"
)]

#[path = "../verbs/cell.rs"]
#[allow(dead_code, reason = "shared with the program that tests verbs one by one")]
mod cell;
#[path = "../reference/mod.rs"]
#[allow(dead_code, reason = "as above")]
mod reference;
#[path = "../verbs/sample.rs"]
#[allow(dead_code, reason = "as above")]
mod sample;
#[path = "../verbs/turn.rs"]
#[allow(dead_code, reason = "as above")]
mod turn;

mod array;
mod draw;
mod elementwise;
mod judge;
mod linear;
mod parts;
mod placement;
mod sums;

use std::env::var;
use std::panic::{AssertUnwindSafe, catch_unwind};

use arrayspan_kernels::bridge::DType;
use arrayspan_kernels::bridge::devices::DeviceKind;
use arrayspan_kernels::on;

use cell::{Cell, compiles_slowly, devices, say};
use draw::Draw;
use judge::Judged;

/// Makes a call of a verb on arrays of about so many elements, and says which.
type Call = fn(&Cell, &mut Draw, usize, &mut String) -> Judged;

/// The elements of arrays; some have a tenth of them, and a few ten times as many.
const MOST: usize = 20_000;

/// Failures of a verb that are told.
const TOLD: usize = 5;

fn number(name: &str) -> Option<u64> {
    let set = var(name).ok().filter(|value| !value.is_empty())?;
    Some(set.parse().unwrap_or_else(|_| panic!("{name} is {set}, not a number")))
}

/// Makes calls of a verb on every device of a kind.
fn calls(kind: DeviceKind, name: &str, call: Call) {
    let full = turn::is_full();
    for device in devices(kind, false) {
        let usual = match (device.is_cpu(), compiles_slowly(device)) {
            (true, _) => [40, 2000],
            (_, false) => [12, 400],
            (_, true) => [2, 60],
        };
        let count = number("ARRAYSPAN_FUZZ_CALLS").unwrap_or(usual[usize::from(full)]);
        let one = number("ARRAYSPAN_FUZZ_SEED");
        let first = turn::seed().wrapping_mul(1_000_003);
        let seeds = match one {
            Some(seed) => vec![seed],
            None => (0..count).map(|number| first.wrapping_add(number)).collect(),
        };
        if one.is_none() {
            say(&format!("{name} on {device}: {count} calls from seed {first} on"));
        }
        let mut wrong = Vec::new();
        for seed in seeds {
            let mut draw = Draw::new(seed);
            let float64 = device.is_cpu() || device.info().float64;
            let single = [DType::Float32, DType::Complex64, DType::Float32];
            let both = [single[0], DType::Float64, single[1], DType::Complex128, single[0]];
            let dtype = draw.pick(if float64 { &both } else { &single });
            let most = draw.pick(&[MOST, MOST / 10, MOST / 10, MOST]);
            let most = if draw.once_in(12) { 10 * most } else { most };
            let cell = Cell { executor: on(device).unwrap(), dtype };
            let mut what = String::new();
            let judged = catch_unwind(AssertUnwindSafe(|| call(&cell, &mut draw, most, &mut what)));
            let why = match judged {
                Ok(Ok(())) => continue,
                Ok(Err(why)) => why,
                Err(_) => "it panicked".to_owned(),
            };
            wrong.push(format!("seed {seed}, {dtype}: {why}\n    {what}"));
            if wrong.len() == TOLD {
                break;
            }
        }
        assert!(wrong.is_empty(), "{name} on {device}:\n{}", wrong.join("\n"));
    }
}

/// One test for each device and verb.
macro_rules! cells {
    ($($device:ident: $kind:ident;)* => $verbs:tt) => {
        $(mod $device {
            use arrayspan_kernels::bridge::devices::DeviceKind;
            const KIND: DeviceKind = DeviceKind::$kind;
            cells!(@verbs $verbs);
        })*
    };
    (@verbs {$($module:ident: $($verb:ident)*;)*}) => {
        $($(#[test]
        fn $verb() {
            crate::calls(KIND, stringify!($verb), crate::$module::$verb);
        })*)*
    };
}

cells! {
    host: Cpu;
    cuda: Cuda;
    opencl: OpenCl;
    => {
        elementwise: copy copies_of_any_dtype copy_mapped map map_many;
        linear: convolve convolve_varying fft gather scan stencil stencil_each stencil_sum gemm;
        sums: reduce moments;
    }
}
