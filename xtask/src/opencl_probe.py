"""Prints the OpenCL devices that compile a kernel with 64-bit floating point; fails when there is none."""

import ctypes
import os
import sys

CPU_OR_ANY, NAME, NOTHING = 0xFFFFFFFF, 0x102B, None
SOURCE = b"""
#pragma OPENCL EXTENSION cl_khr_fp64 : enable
__kernel void root(__global double *x) { x[get_global_id(0)] = sqrt((double)get_global_id(0)); }
"""

cl = ctypes.CDLL(os.environ.get("OPENCL_DYLIB_PATH", "libOpenCL.so.1"))
for function in (cl.clCreateContext, cl.clCreateProgramWithSource):
    function.restype = ctypes.c_void_p


def listed(call, *before):
    """What a function lists that first tells how many there are."""
    count = ctypes.c_uint(0)
    if call(*before, 0, NOTHING, ctypes.byref(count)) != 0:
        return []
    found = (ctypes.c_void_p * count.value)()
    call(*before, count, found, NOTHING)
    return [ctypes.c_void_p(each) for each in found]


def compiles(device):
    one = ctypes.byref(device)
    context = ctypes.c_void_p(cl.clCreateContext(NOTHING, 1, one, NOTHING, NOTHING, NOTHING))
    text = ctypes.c_char_p(SOURCE)
    program = cl.clCreateProgramWithSource(context, 1, ctypes.byref(text), NOTHING, NOTHING)
    return cl.clBuildProgram(ctypes.c_void_p(program), 1, one, NOTHING, NOTHING, NOTHING) == 0


working = 0
for platform in listed(cl.clGetPlatformIDs):
    for device in listed(cl.clGetDeviceIDs, platform, ctypes.c_ulonglong(CPU_OR_ANY)):
        name = ctypes.create_string_buffer(256)
        cl.clGetDeviceInfo(device, NAME, ctypes.c_size_t(256), name, NOTHING)
        good = compiles(device)
        working += good
        print(name.value.decode(), "" if good else "(does not compile kernels)")
sys.exit(working == 0)
