//! The text around the source of user kernels.
//!
//! Their source comes before the macros of spaces and forms, inside functions of its own, so that the names that it
//! declares meet no others.

use arrayspan_bridge::DType;
use arrayspan_bridge::iteration::Text;

use super::instance::Instance;

const TYPES: &str = include_str!("../../source/user/types.cl.h");
const NUMBERS: &str = include_str!("../../source/user/numbers.cl.h");

/// Functions of real and of complex numbers.
const OF_BOTH: [&str; 15] = [
    "make", "add", "sub", "mul", "div", "neg", "conj", "scale", "re", "im", "abs", "abs2",
    "is_zero", "sqrt", "exp",
];
/// Functions of real numbers only.
const OF_REAL: [&str; 9] = ["log", "sin", "cos", "tanh", "floor", "pow", "atan2", "min", "max"];

/// Types, the functions of numbers, and letters.
pub(super) fn types(instance: &Instance, text: &mut Text) {
    text.add(TYPES);
    numbers(
        [
            ("REAL", "f32"),
            ("PAIR", "c64"),
            ("HUGE", "1.7014117e38f"),
            ("TINY", "1.9721523e-31f"),
            ("LIFT", "1.4073749e14f"),
        ],
        true,
        text,
    );
    text.add("#if defined(DEVICE_HAS_F64)");
    numbers(
        [
            ("REAL", "f64"),
            ("PAIR", "c128"),
            ("HUGE", "8.98846567431158e307"),
            ("TINY", "2.004168360008973e-292"),
            ("LIFT", "4.056481920730334e31"),
        ],
        false,
        text,
    );
    text.add("#endif");
    for (letter, dtype) in instance.letters.iter() {
        let name = crate::user::type_name(dtype);
        text.add(format_args!("typedef {name} {letter};"));
        if !dtype.is_computable() {
            continue;
        }
        text.add(format_args!("typedef {} {letter}_real;", crate::user::type_name(dtype.real())));
        let real = OF_REAL.iter().filter(|_| !dtype.is_complex());
        for function in OF_BOTH.iter().chain(real) {
            text.define(format_args!("{letter}_{function}"), format_args!("{name}_{function}"));
        }
    }
}

fn numbers(names: [(&str, &str); 5], single: bool, text: &mut Text) {
    let [(_, real), (_, pair), ..] = names;
    for (name, value) in names {
        text.define(name, value);
    }
    text.define("OF_REAL(name)", format_args!("{real}_##name"));
    text.define("OF_PAIR(name)", format_args!("{pair}_##name"));
    text.define("R(x)", if single { "x##f" } else { "x" });
    if single {
        // Without headers CUDA C names the function of each type (`sqrtf`); OpenCL C has overloads of one name only.
        text.add("#if defined(DEV_CUDA)\n#define MATH(name) name##f\n#else\n#define MATH(name) name\n#endif");
    } else {
        text.define("MATH(name)", "name");
    }
    text.add(NUMBERS);
    for name in ["REAL", "PAIR", "HUGE", "TINY", "LIFT", "OF_REAL", "OF_PAIR", "R", "MATH"] {
        text.add(format_args!("#undef {name}"));
    }
}

/// Source of the user's, whose lines compilers count from 1, under the kernel's name or with what part of it it is.
pub(super) fn source(instance: &Instance, part: &str, source: &str, text: &mut Text) {
    let name = &instance.definition.name;
    let file = if part.is_empty() { name.clone() } else { format!("{name} ({part})") };
    // A blank line, in case the last one ends in a backslash.
    text.add(format_args!("#line 1 \"{file}\"\n{source}\n\n#line 1 \"{name} (around)\""));
}

/// The inputs as parameters of a function of values, then `others`.
pub(super) fn values(instance: &Instance, others: &[String]) -> String {
    let inputs = instance.definition.inputs.iter();
    let inputs =
        inputs.map(|input| format!("const {} {}", instance.letters.name(input.kind), input.name));
    inputs.chain(others.iter().cloned()).collect::<Vec<_>>().join(", ")
}

/// The type `user_outputs`, of all outputs: `o0`, `o1`, ….
pub(super) fn outputs(instance: &Instance, text: &mut Text) {
    let outputs = instance.definition.outputs.iter().enumerate();
    let fields = outputs.map(|(k, output)| format!("{} o{k};", instance.letters.name(output.kind)));
    text.add(format_args!(
        "typedef struct {{ {} }} user_outputs;",
        fields.collect::<Vec<_>>().join(" ")
    ));
}

/// Statements that return the outputs.
pub(super) fn give(instance: &Instance, text: &mut Text) {
    let outputs = instance.definition.outputs.iter().enumerate();
    let fields = outputs.map(|(k, output)| format!("user_all.o{k} = {};", output.name));
    text.add(format_args!(
        "{{ user_outputs user_all; {} return user_all; }}\n}}",
        fields.collect::<Vec<_>>().join(" ")
    ));
}

/// The parameters of the numbers by value, each after a comma.
pub(super) fn numbers_declared(instance: &Instance) -> String {
    let mut text = String::new();
    for (input, declared) in instance.definition.inputs.iter().enumerate() {
        let Some(dtype) = instance.letters.get(declared.kind).filter(|_| instance.by_value[input])
        else {
            continue;
        };
        let parameters = match dtype {
            DType::Complex64 => format!(", float s{input}_re, float s{input}_im"),
            DType::Complex128 => format!(", double s{input}_re, double s{input}_im"),
            DType::Float32 => format!(", float s{input}_value"),
            DType::Float64 => format!(", double s{input}_value"),
            DType::Int64 | DType::UInt32 | DType::UInt64 => format!(", i64 s{input}_value"),
            _ => format!(", int s{input}_value"),
        };
        text.push_str(&parameters);
    }
    text
}

/// The number by value of an input, in its type.
pub(super) fn number(instance: &Instance, input: usize) -> String {
    let kind = instance.definition.inputs[input].kind;
    let name = instance.letters.name(kind);
    if instance.letters.get(kind).is_some_and(DType::is_complex) {
        return format!("{name}_make(s{input}_re, s{input}_im)");
    }
    format!("({name})s{input}_value")
}
