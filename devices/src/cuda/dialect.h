/* The shared kernel language in CUDA C++ (NVRTC, no headers). Only what differs between the compilers stands
   here and in ../opencl/dialect.h, which explains the names; the two files define the same ones. */
#define DEV_CUDA 1
#define DEVICE_HAS_F64 1

/* What a kernel begins with, on a line of its own, that may be launched before the kernels before it have ended: it waits for
   them, and for all that they have written. */
#if __CUDA_ARCH__ >= 900
  #define AFTER_EARLIER_KERNELS asm volatile("griddepcontrol.wait;" ::: "memory");
#else
  #define AFTER_EARLIER_KERNELS
#endif

#define KERNEL   extern "C" __global__ void
#define KERNEL_OF(x, y, resident) extern "C" __global__ void __launch_bounds__((x) * (y), resident)
#define FN       static __device__ __forceinline__
#define GLOBAL
#define LOCAL
#define RESTRICT __restrict__

#define CONSTANT __constant__
#define LOCAL_ARRAY(T, name, n) __shared__ T name[n]
#define LARGE_LOCAL_ARRAY(T, name, n) extern __shared__ T name[]

#define DIM_(v, d) ((d) == 0 ? (v).x : (d) == 1 ? (v).y : (v).z)
#define GID(d)  ((i64)DIM_(blockIdx, d) * DIM_(blockDim, d) + DIM_(threadIdx, d))
#define LID(d)  ((int)DIM_(threadIdx, d))
#define GRP(d)  ((i64)DIM_(blockIdx, d))
#define LSZ(d)  ((int)DIM_(blockDim, d))
#define NGRP(d) ((i64)DIM_(gridDim, d))
#define GSZ(d)  ((i64)DIM_(gridDim, d) * DIM_(blockDim, d))

#define BARRIER()  __syncthreads()
#define ALIGNED(n) __align__(n)
#define UNROLL     _Pragma("unroll")

typedef long long i64;
typedef unsigned long long u64;
typedef unsigned int u32;

#define AS_U32(x) __float_as_uint(x)
#define AS_F32(x) __uint_as_float(x)
#define AS_U64(x) ((u64)__double_as_longlong(x))
#define AS_F64(x) __longlong_as_double((i64)(x))

typedef struct { unsigned short bits; } half_t;
FN float LOAD_HALF(const half_t* p, i64 i) {
  float value;
  asm("cvt.f32.f16 %0, %1;" : "=f"(value) : "h"(p[i].bits));
  return value;
}
FN void STORE_HALF(float value, half_t* p, i64 i) {
  unsigned short bits;
  asm("cvt.rn.f16.f32 %0, %1;" : "=h"(bits) : "f"(value));
  p[i].bits = bits;
}

/* 16-bit floats as bits; places of the highest bit from the top. */
FN float half_value(unsigned short bits) {
  float value;
  asm("cvt.f32.f16 %0, %1;" : "=f"(value) : "h"(bits));
  return value;
}
FN unsigned short half_bits(float value) {
  unsigned short bits;
  asm("cvt.rn.f16.f32 %0, %1;" : "=h"(bits) : "f"(value));
  return bits;
}
#define POPCOUNT32(x) __popc(x)
#define CLZ32(x) __clz((int)(x))
#define CLZ64(x) __clzll((i64)(x))

/* Of acquire and release order, which is enough; __threadfence() is one of a single order of all fences, and takes longer. */
#if __CUDA_ARCH__ >= 700
  #define DEVICE_FENCE() asm volatile("fence.acq_rel.gpu;" ::: "memory")
#else
  #define DEVICE_FENCE() __threadfence()
#endif
#define COUNT_UP(p)    atomicAdd((u32*)(p), 1u)
#define LOAD_U32(p)     (*(const volatile u32*)(p))
#define LOAD_U64(p)     (*(const volatile u64*)(p))
#define STORE_U32(p, v) (*(volatile u32*)(p) = (v))
#define STORE_U64(p, v) (*(volatile u64*)(p) = (v))
#define BARRIER_ALL()  __syncthreads()

FN void atomic_add_u32(u32* p, u32 v) { atomicAdd(p, v); }
FN void atomic_add_f32(float* p, float v) { atomicAdd(p, v); }
FN void atomic_add_f64(double* p, double v) { atomicAdd(p, v); }
