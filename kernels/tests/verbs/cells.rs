//! The table of tests.

/// One test for each device, dtype and case.
macro_rules! cells {
    ($($device:ident: $kind:ident;)* => $dtypes:tt $cases:tt) => {
        $(mod $device {
            use arrayspan_kernels::bridge::devices::DeviceKind;
            const KIND: DeviceKind = DeviceKind::$kind;
            cells!(@dtypes $dtypes $cases);
        })*
    };
    (@dtypes {$($name:ident: $dtype:ident;)*} $cases:tt) => {
        $(mod $name {
            use arrayspan_kernels::bridge::DType;
            const DTYPE: DType = DType::$dtype;
            cells!(@cases $cases);
        })*
    };
    (@cases {$($verb:ident: $($case:ident)*;)*}) => {
        $(mod $verb {
            $(#[test]
            fn $case() {
                let name = concat!(stringify!($verb), "::", stringify!($case));
                crate::cell::on_each(super::super::KIND, super::DTYPE, name, crate::$verb::$case);
            })*
        })*
    };
}
