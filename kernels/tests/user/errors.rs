//! What is refused, and by whom.

use arrayspan_kernels::bridge::Error as BridgeError;
use arrayspan_kernels::bridge::devices::Error as DeviceError;
use arrayspan_kernels::user::{
    ElementwiseKernel, Geometry, RawKernel, ReductionKernel, ReductionSource,
};
use arrayspan_kernels::{Error, Result};
use num_complex::Complex64;

use super::sample::{on_each, singles, upload};

fn declare(name: &str, inputs: &str, outputs: &str, body: &str) -> Result<ElementwiseKernel> {
    // SAFETY: what is run of these touches nothing but its values, and ends.
    unsafe { ElementwiseKernel::new(name, inputs, outputs, body) }
}

const SUM: ReductionSource<'_> =
    ReductionSource { total: "f32", map: "x", combine: "a + b", identity: "0", finish: "y = a;" };

fn reduction(inputs: &str, outputs: &str, source: ReductionSource<'_>) -> Result<ReductionKernel> {
    // SAFETY: what is run of these touches nothing but its values, and ends.
    unsafe { ReductionKernel::new("reduction", inputs, outputs, source) }
}

/// The text of an error that is one of declaration.
fn refused<T>(declared: Result<T>) -> String {
    match declared.err() {
        Some(error @ Error::Declaration { .. }) => error.to_string(),
        Some(error) => panic!("another error: {error}"),
        None => panic!("declared"),
    }
}

#[test]
fn declarations_that_make_no_sense_are_refused() {
    let clash = refused(declare("k", "f32 x, f32 x", "f32 y", "y = x;"));
    assert_eq!(clash, "kernel 'k': two parameters are called 'x'");
    assert!(
        refused(declare("k", "f32 i", "f32 y", "y = i;"))
            .contains("'i' is the name of something else")
    );
    assert!(
        refused(declare("k", "f32 x", "f32 y", "x + 1;")).contains("does not name the output 'y'")
    );
    assert!(refused(declare("k", "f32 x", "f32 y", "y = x;\0")).contains("zero byte"));
    assert!(
        refused(reduction("f32 a", "f32 y", SUM)).contains("'a' is the name of something else")
    );
    assert!(refused(reduction("f32 x", "inout f32 y", SUM)).contains("reads no output"));
    let total = |total| reduction("f32 x", "f32 y", ReductionSource { total, ..SUM });
    assert!(refused(total("T")).contains("no parameter has the type of totals"));
    assert!(refused(total("float; int")).contains("'float; int' is none"));
    let raw = |source| RawKernel::new("raw", "f32 x", "f32 y", source);
    assert!(refused(raw("KERNEL other(PARAMETERS) { BEGIN }")).contains("no 'raw'"));
    assert!(refused(raw("void raw() {}")).contains("no 'KERNEL'"));
}

#[test]
fn text_does_not_get_in_by_names() {
    for name in ["k\"\n#include \"/etc/passwd", "k; }", "", "K", "kernel", "ünder"] {
        refused(declare(name, "f32 x", "f32 y", "y = x;"));
    }
    for inputs in [
        "f32 x); evil(",
        "f32 x, f32 *p",
        "f32 x\n#define y 1",
        "float4 x",
        "f32 x = 1",
        "volatile f32 x",
    ] {
        refused(declare("k", inputs, "f32 y", "y = x;"));
    }
}

#[test]
fn arguments_that_do_not_fit_are_refused_before_anything_runs() {
    let add = declare("add", "T x, T y, f32 s", "T z", "z = x + y * s;").unwrap();
    let sum = reduction("f32 x", "f32 y", SUM).unwrap();
    on_each(false, |on| {
        let (x, row) = (upload(on, &singles(1, 6), &[2, 3]), upload(on, &singles(1, 4), &[4]));
        let integers = upload(on, &[1_i32; 6], &[2, 3]);
        let why = |inputs: &[_]| add.apply(on, inputs).unwrap_err().to_string();
        assert_eq!(why(&[(&x).into()]), "elementwise kernel: 'add' has 3 inputs, 1 are given");
        assert_eq!(
            why(&[(&x).into(), (&integers).into(), 1.into()]),
            "elementwise kernel: y of 'add' is Int32, expected Float32"
        );
        assert_eq!(
            why(&[(&x).into(), (&row).into(), 1.into()]),
            "elementwise kernel: y of 'add' has shape [4], expected [2, 3]"
        );
        assert_eq!(
            why(&[1.into(), 2.into(), 3.into()]),
            "elementwise kernel: no array of 'add' says what T is"
        );
        let imaginary = Complex64::new(0.0, 1.0);
        let number = why(&[(&x).into(), 1.into(), imaginary.into()]);
        assert_eq!(number, "elementwise kernel: s of 'add': 0+1i is no number of Float32");
        assert!(
            why(&[(&integers).into(), 0.5.into(), 1.into()]).contains("0.5 is no number of Int32")
        );
        let bytes = upload(on, &[true; 6], &[2, 3]);
        assert!(why(&[(&bytes).into(), 1.into(), 1.into()]).contains("cannot compute with Bool"));

        let mut z = upload(on, &[7.0_f32; 6], &[3, 2]);
        let error =
            add.call(on, &[(&x).into(), 1.into(), 1.into()], &mut [z.view_mut()]).unwrap_err();
        assert!(matches!(error, Error::Shape { .. }), "{error}");
        assert_eq!(z.view().to_vec::<f32>().unwrap(), [7.0; 6]);
        let error = sum.apply(on, &[(&x).into()], Some(&[0, 2])).unwrap_err().to_string();
        assert_eq!(error, "reduction kernel: there is no axis 2 in an array of shape [2, 3]");
        assert!(sum.apply(on, &[(&x).into()], Some(&[1, 1])).is_err());
        assert!(
            sum.apply(on, &[2.into()], None).unwrap_err().to_string().contains("no array among")
        );
        assert!(sum.call(on, &[(&x).into()], None, &mut [z.view_mut()]).is_err());
    });
}

#[test]
fn compilers_name_the_users_lines() {
    let wrong =
        declare("wrong", "f32 x", "f32 y", "f32 twice = 2 * x;\n\ny = twice + missing;").unwrap();
    let part = reduction("f32 x", "f32 y", ReductionSource { map: "x +\nabsent", ..SUM }).unwrap();
    let raw = "KERNEL raw(PARAMETERS) {\n  BEGIN\n  y[0] = x[0] + nothing;\n}";
    let raw = RawKernel::new("raw", "f32 x", "f32 y", raw).unwrap();
    on_each(false, |on| {
        let x = upload(on, &singles(1, 3), &[3]);
        let mut y = upload(on, &singles(1, 3), &[3]);
        let compile = |error| match error {
            Error::Bridge(BridgeError::Device(DeviceError::Compile {
                kernel, line, log, ..
            })) => (kernel, line, log),
            error => panic!("another error: {error}"),
        };
        let place = |log: &str, name: &str, line: usize| {
            log.contains(&format!("{name}:{line}")) || log.contains(&format!("{name}({line})"))
        };
        let (kernel, line, log) = compile(wrong.apply(on, &[(&x).into()]).unwrap_err());
        assert_eq!((kernel.as_str(), line.as_deref()), ("wrong", Some("y = twice + missing;")));
        assert!(log.contains("missing") && place(&log, "wrong", 3), "{log}");
        let (kernel, _, log) = compile(part.apply(on, &[(&x).into()], None).unwrap_err());
        assert!(
            kernel == "reduction" && log.contains("absent") && place(&log, "reduction (map)", 2),
            "{log}"
        );
        // SAFETY: it does not compile, so nothing runs.
        let launched = unsafe {
            raw.launch(on, Geometry::new([1; 3], [1; 3]), &[(&x).into()], &mut [y.view_mut()])
        };
        let (_, line, log) = compile(launched.unwrap_err());
        assert_eq!(line.as_deref(), Some("  y[0] = x[0] + nothing;"));
        assert!(place(&log, "raw", 3), "{log}");
    });
}
