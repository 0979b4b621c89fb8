//! User kernels are calls like others: counted, recorded, ordered.

use std::sync::Arc;

use arrayspan_kernels::bridge::devices::Device;
use arrayspan_kernels::user::{ElementwiseKernel, ReductionKernel, ReductionSource};
use arrayspan_kernels::{Cost, Error, Plan, Trace, on};

use super::sample::{on_each, singles, upload};

fn kernels() -> (ElementwiseKernel, ReductionKernel) {
    let source = ReductionSource {
        total: "f32",
        map: "x",
        combine: "a + b",
        identity: "0",
        finish: "y = a;",
    };
    // SAFETY: both touch nothing but their values, and end.
    unsafe {
        let add = ElementwiseKernel::new("add", "f32 x", "inout f32 y", "y += x;").unwrap();
        (add, ReductionKernel::new("sum", "f32 x", "f32 y", source).unwrap())
    }
}

#[test]
fn plans_replay_them() {
    let (add, sum) = kernels();
    on_each(false, |device| {
        let on = on(device.device()).unwrap();
        let arrays = [
            upload(device, &singles(1, 37), &[37]),
            upload(device, &[0.0_f32; 37], &[37]),
            upload(device, &[0.0_f32], &[]),
        ];
        let mut plan = Plan::record::<Error>(on, arrays, |on, [x, y, total]| {
            add.call(on, &[(&*x).into()], &mut [y.view_mut()])?;
            sum.call(on, &[(&*y).into()], None, &mut [total.view_mut()])
        })
        .unwrap();
        let names: Vec<&str> = plan.steps().iter().map(|step| step.0).collect();
        assert_eq!(names, ["elementwise kernel", "reduction kernel"]);
        let once: f32 = singles(1, 37).iter().sum();
        for replay in 1..4_u8 {
            plan.replay().unwrap();
            let total = plan.arrays()[2].view().to_vec::<f32>().unwrap();
            assert_eq!(total, [f32::from(replay) * once]);
        }
        // An array that the plan has not.
        let mut other = upload(device, &[0.0_f32; 37], &[37]);
        let on = arrayspan_kernels::on(device.device()).unwrap();
        let refused = Plan::record::<Error>(on, upload(device, &[0.0_f32; 37], &[37]), |on, x| {
            add.call(on, &[(&*x).into()], &mut [other.view_mut()])
        });
        assert_eq!(
            refused.unwrap_err().to_string(),
            "elementwise kernel: the plan keeps no array with the memory of output 0"
        );
    });
}

#[test]
fn traces_count_them() {
    let (add, _) = kernels();
    on_each(false, |device| {
        let trace = Trace::of(on(device.device()).unwrap());
        let x = upload(device, &[1.0_f32], &[]);
        let mut y = upload(device, &singles(1, 100), &[10, 10]);
        add.call(&trace, &[(&x).into()], &mut [y.view_mut()]).unwrap();
        assert_eq!(
            trace.take(),
            Cost { launches: 1, bytes_read: 4 + 400, bytes_written: 400, flops: 0 }
        );
    });
}

#[test]
fn arrays_of_another_device_are_refused() {
    let (add, _) = kernels();
    on_each(false, |device| {
        let x = upload(&*on(Device::cpu()).unwrap(), &[1.0_f32], &[]);
        let mut y = upload(device, &[2.0_f32], &[]);
        let error = add.call(device, &[(&x).into()], &mut [y.view_mut()]).unwrap_err();
        assert!(
            matches!(&error, Error::WrongDevice { argument, .. } if argument == "input 0"),
            "{error}"
        );
    });
}

#[test]
fn the_cpu_says_what_it_lacks() {
    let (add, sum) = kernels();
    let on = on(Device::cpu()).unwrap();
    let mut x = upload(&*on, &[1.0_f32, 2.0], &[2]);
    let expected = "cpu: kernel 'add' (kernels of users run on CUDA and OpenCL devices; PoCL makes the CPU one of the latter) is not supported";
    let error = add.call(&*on, &[1.into()], &mut [x.view_mut()]).unwrap_err();
    assert_eq!(error.to_string(), expected);
    assert!(sum.apply(&*on, &[(&x).into()], None).unwrap_err().to_string().contains("PoCL"));
    assert_eq!(x.view().to_vec::<f32>().unwrap(), [1.0, 2.0]);
    // Recorded or not.
    let plan = Plan::record::<Error>(Arc::clone(&on), x, |on, x| {
        add.call(on, &[1.into()], &mut [x.view_mut()])
    });
    assert_eq!(plan.unwrap_err().to_string(), expected);
}
