//! `ARRAYSPAN_MEMORY_LIMIT`, which is read once in a process: each question goes to a fresh one.

use std::process::Command;

use arrayspan_devices::{Device, Error, Limit, Memory};

use super::{MIB, content, devices, fill};

fn ask(limit: &str) -> String {
    run("environment::reports_its_limits", "ARRAYSPAN_MEMORY_LIMIT", limit)
}

fn run(test: &str, variable: &str, value: &str) -> String {
    let own = std::env::current_exe().unwrap();
    let mut child = Command::new(own);
    child.args(["--exact", test, "--ignored", "--nocapture"]);
    // What real failures say is asked here.
    let child = child.env_remove("ARRAYSPAN_FAULTS").env(variable, value).output().unwrap();
    assert!(child.status.success(), "{child:?}");
    String::from_utf8(child.stdout).unwrap()
}

#[test]
fn a_limit_from_the_environment_holds_from_the_start() {
    let told = ask("cpu=64MiB, 1GiB");
    for device in devices() {
        let expected = if device.is_cpu() { 64 * MIB } else { 1024 * MIB };
        assert!(told.contains(&format!("{device}: limit {expected}, allocates")), "{told}");
    }
    assert!(told.contains("refuses 65 MiB: cpu: out of memory"), "{told}");
}

#[test]
fn a_limit_that_cannot_be_read_stops_allocations_until_another_is_set() {
    let told = ask("cpu=lots");
    assert!(
        told.contains("ARRAYSPAN_MEMORY_LIMIT: cpu=lots on cpu: 'lots' is not a size"),
        "{told}"
    );
    assert!(told.contains("then allocates"), "{told}");
}

#[test]
fn freed_blocks_are_poisoned_where_the_environment_asks_for_it() {
    for (value, poisoned) in [("1", true), ("0", false)] {
        let told =
            run("environment::reports_what_freed_blocks_hold", "ARRAYSPAN_MEMORY_POISON", value);
        for device in devices() {
            assert!(told.contains(&format!("{device}: poisoned {poisoned}")), "{told}");
        }
    }
}

#[test]
#[ignore = "run by the tests above in a process of its own"]
fn reports_what_freed_blocks_hold() {
    for device in Device::all() {
        let stream = device.new_stream().unwrap();
        let block = Memory::allocate(100_000, &stream).unwrap();
        fill(&block, &vec![7; 100_000], &stream);
        let address = block.address();
        drop(block);
        let again = Memory::allocate(100_000, &stream).unwrap();
        assert_eq!(again.address(), address);
        let found = content(&again, 100_000, &stream);
        assert!(found.iter().all(|byte| *byte == found[0]));
        println!("{device}: poisoned {}", found[0] == 0xff);
    }
}

#[test]
#[ignore = "run by the tests above in a process of its own"]
fn reports_its_limits() {
    for device in Device::all() {
        let stream = device.new_stream().unwrap();
        match Memory::allocate(1000, &stream) {
            Ok(_) => println!("{device}: limit {}, allocates", device.limit().unwrap_or(0)),
            Err(error @ Error::Limit { .. }) => {
                println!("{error}");
                device.set_limit(Some(Limit::Fraction(1.0))).unwrap();
                Memory::allocate(1000, &stream).unwrap();
                println!("then allocates");
            }
            Err(error) => panic!("{error}"),
        }
    }
    if let Err(error) = Memory::allocate(65 * MIB, &Device::cpu().stream().unwrap()) {
        println!("refuses 65 MiB: {error}");
    }
}
