//! Programs: source to binary, binary to program.

use std::ffi::CString;
use std::ptr;
use std::sync::Arc;

use cl3::error_codes::{CL_BUILD_PROGRAM_FAILURE, CL_COMPILER_NOT_AVAILABLE};
use cl3::info_type::InfoType;
use cl3::program::{
    CL_PROGRAM_BINARIES, CL_PROGRAM_BUILD_LOG, build_program, create_program_with_binary,
    create_program_with_source, get_program_build_data, get_program_info,
};

use super::context::Context;
use super::handle::{Handle, Object};
use super::ptx;
use super::query;
use super::serial::serial;
use crate::jit::KernelSource;
use crate::{Error, Result};

/// Builds `text` and returns the platform's binary for the context's device.
pub(super) fn compile(
    context: &Arc<Context>,
    options: &str,
    kernel: &str,
    text: &str,
) -> Result<Vec<u8>> {
    let calls = serial();
    let raw = create_program_with_source(context.raw(), &[text])
        .map_err(|code| context.failure("clCreateProgramWithSource", code))?;
    drop(calls);
    // SAFETY: just created, with one reference that is ours.
    let program = unsafe { context.own(raw, Object::Program) };
    match build(context, options, &program) {
        Ok(()) => {
            let binary = binary(context, &program)?;
            Ok(match KernelSource::resident(text) {
                Some(groups) => ptx::with_groups(binary, groups),
                None => binary,
            })
        }
        Err(CL_BUILD_PROGRAM_FAILURE) => {
            let log = log(context, &program);
            let line = KernelSource::complaint(text, kernel, &log).map(Into::into);
            Err(Error::Compile { device: context.to_string(), kernel: kernel.into(), line, log })
        }
        Err(code @ CL_COMPILER_NOT_AVAILABLE) => Err(Error::Unavailable {
            what: format!("the compiler of {context}"),
            why: format!("clBuildProgram returned CL_COMPILER_NOT_AVAILABLE ({code})"),
        }),
        Err(code) => Err(context.failure("clBuildProgram", code)),
    }
}

/// Makes a program from a binary of [`compile`].
pub(super) fn load(context: &Arc<Context>, options: &str, binary: &[u8]) -> Result<Handle> {
    // An assembler that does not take what was added to the text takes the text.
    load_as_it_is(context, options, binary).or_else(|refused| match ptx::without_groups(binary) {
        Some(plain) => load_as_it_is(context, options, &plain),
        None => Err(refused),
    })
}

fn load_as_it_is(context: &Arc<Context>, options: &str, binary: &[u8]) -> Result<Handle> {
    let calls = serial();
    // SAFETY: context and device are alive and belong together; the binary is copied by the call. What
    // is wrong in it the platform reports; the cache has checked that it is what was once written.
    let raw = unsafe { create_program_with_binary(context.raw(), &[context.device.0], &[binary]) }
        .map_err(|code| context.failure("clCreateProgramWithBinary", code))?;
    drop(calls);
    // SAFETY: just created, with one reference that is ours.
    let program = unsafe { context.own(raw, Object::Program) };
    build(context, options, &program)
        .map_err(|code| context.failure("clBuildProgram of a binary", code))?;
    Ok(program)
}

fn build(context: &Context, options: &str, program: &Handle) -> Result<(), i32> {
    // The options are ours and hold no zero byte.
    let options = CString::new(options).unwrap_or_default();
    let _serial = serial();
    build_program(program.raw(), &[context.device.0], &options, None, ptr::null_mut())
}

fn log(context: &Context, program: &Handle) -> String {
    let _serial = serial();
    let log = get_program_build_data(program.raw(), context.device.0, CL_PROGRAM_BUILD_LOG);
    match log.map(query::text) {
        Ok(log) if !log.is_empty() => log,
        _ => "the compiler left no log".into(),
    }
}

fn binary(context: &Context, program: &Handle) -> Result<Vec<u8>> {
    let call = "clGetProgramInfo(CL_PROGRAM_BINARIES)";
    let _serial = serial();
    match get_program_info(program.raw(), CL_PROGRAM_BINARIES) {
        // One device, one binary.
        Ok(InfoType::VecVecUchar(binaries)) => {
            let first = binaries.into_iter().find(|binary| !binary.is_empty());
            first.ok_or_else(|| context.failure(call, 0))
        }
        Ok(_) => Err(context.failure(call, 0)),
        Err(code) => Err(context.failure(call, code)),
    }
}
