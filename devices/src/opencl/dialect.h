/* The shared kernel language in OpenCL C 1.2, and later where language.rs says so. Only what differs between the
   compilers stands here and in ../cuda/dialect.h; the two files define the same names. */
#define DEV_OPENCL 1

/* DEVICE_HAS_F64: double is a type of this device. */
#ifdef WITHOUT_FLOAT64
  #pragma OPENCL EXTENSION cl_khr_fp64 : disable
#elif defined(cl_khr_fp64)
  #pragma OPENCL EXTENSION cl_khr_fp64 : enable
  #define DEVICE_HAS_F64 1
#elif defined(__opencl_c_fp64)
  #define DEVICE_HAS_F64 1
#endif
#ifdef cl_khr_int64_base_atomics
  #pragma OPENCL EXTENSION cl_khr_int64_base_atomics : enable
#endif

/* Functions. Every pointer parameter carries GLOBAL or LOCAL. */
#define KERNEL   __kernel void
/* A kernel for groups of x by y threads, of which a processor is to hold so many at once. */
#define KERNEL_OF(x, y, resident) __kernel __attribute__((reqd_work_group_size(x, y, 1))) void
#define FN       static inline
#define GLOBAL   __global
#define LOCAL    __local
#define RESTRICT restrict

/* Tables at program scope: CONSTANT float taps[3] = { ... }; */
#define CONSTANT __constant
/* What a kernel begins with that may be launched before the kernels before it have ended: no queue does that. */
#define AFTER_EARLIER_KERNELS
/* Memory of one group, declared at the top of a kernel, not of a function. */
#define LOCAL_ARRAY(T, name, n) __local T name[n]
/* The same, of more bytes than CUDA's compiler gives: KernelSource::with_local_bytes. */
#define LARGE_LOCAL_ARRAY(T, name, n) __local T name[n]

/* Where a thread stands, d = 0, 1, 2: global, within its group, its group; sizes of group, grid, all. */
#define GID(d)  ((i64)get_global_id(d))
#define LID(d)  ((int)get_local_id(d))
#define GRP(d)  ((i64)get_group_id(d))
#define LSZ(d)  ((int)get_local_size(d))
#define NGRP(d) ((i64)get_num_groups(d))
#define GSZ(d)  ((i64)get_global_size(d))

/* All threads of the group arrive here, and their LOCAL writes are visible after. */
#define BARRIER()  barrier(CLK_LOCAL_MEM_FENCE)
#define ALIGNED(n) __attribute__((aligned(n)))
/* Before a loop of fixed length. */
#define UNROLL     _Pragma("unroll")

typedef long i64;
typedef ulong u64;
typedef uint u32;

/* Bits of a float and back. */
#define AS_U32(x) as_uint(x)
#define AS_F32(x) as_float(x)

/* 16-bit floats: storage only, arithmetic in float. */
typedef half half_t;
#define LOAD_HALF(p, i)     vload_half((i), (p))
#define STORE_HALF(v, p, i) vstore_half_rte((v), (i), (p))

/* 16-bit floats as bits; places of the highest bit from the top. */
FN float half_value(ushort bits) { return vload_half(0, (const half*)&bits); }
FN ushort half_bits(float value) {
  ushort bits;
  vstore_half_rte(value, 0, (half*)&bits);
  return bits;
}
#define POPCOUNT32(x) ((int)popcount((u32)(x)))
#define CLZ32(x) ((int)clz((u32)(x)))
#define CLZ64(x) ((int)clz((u64)(x)))

/* For kernels whose groups read what others of the same launch have written (ACROSS_GROUPS):
     DEVICE_FENCE()  what this thread has written or seen before, a thread of any group sees behind a fence of its own
                     if it has seen what this thread writes by COUNT_UP after
     COUNT_UP(p)     ++*p, once for every thread, and what it was
     LOAD_U32(p), STORE_U32(p, v), LOAD_U64(p), STORE_U64(p, v)
                     *p, whole, and as every group sees it: not that of a cache of its own. They order no other access
     BARRIER_ALL()   as BARRIER; GLOBAL writes are visible, too, and all that its threads have seen of other groups' writes
   OpenCL C 1.2 has no such fence: its mem_fence orders the accesses of a group. NVIDIA's compiler, which has not those
   of OpenCL C 3.0, takes PTX; fences and atomics of its memory model reach all threads of the device. */
#if __OPENCL_C_VERSION__ >= 300 && defined(__opencl_c_atomic_order_acq_rel) && defined(__opencl_c_atomic_scope_device) \
    || __OPENCL_C_VERSION__ >= 200 && __OPENCL_C_VERSION__ < 300
  #define DEVICE_FENCE() atomic_work_item_fence(CLK_GLOBAL_MEM_FENCE, memory_order_acq_rel, memory_scope_device)
  #define COUNT_UP(p) \
    atomic_fetch_add_explicit((volatile GLOBAL atomic_uint*)(p), 1u, memory_order_relaxed, memory_scope_device)
  #define LOAD_U32(p) atomic_load_explicit((volatile GLOBAL atomic_uint*)(p), memory_order_relaxed, memory_scope_device)
  #define STORE_U32(p, v) \
    atomic_store_explicit((volatile GLOBAL atomic_uint*)(p), v, memory_order_relaxed, memory_scope_device)
  #if defined(cl_khr_int64_base_atomics) && defined(cl_khr_int64_extended_atomics)
    #define LOAD_U64(p) atomic_load_explicit((volatile GLOBAL atomic_ulong*)(p), memory_order_relaxed, memory_scope_device)
    #define STORE_U64(p, v) \
      atomic_store_explicit((volatile GLOBAL atomic_ulong*)(p), v, memory_order_relaxed, memory_scope_device)
  #endif
#elif defined(__NV_CL_C_VERSION) || defined(cl_nv_pragma_unroll)
  /* The compiler moves no access over a mem_fence, and the device none over a membar. */
  #define DEVICE_FENCE() { mem_fence(CLK_GLOBAL_MEM_FENCE); asm volatile("membar.gl;"); mem_fence(CLK_GLOBAL_MEM_FENCE); }
  #define COUNT_UP(p) atomic_inc((volatile GLOBAL u32*)(p))
  #define LOAD_U32(p) (*(const volatile GLOBAL u32*)(p))
  #define STORE_U32(p, v) (*(volatile GLOBAL u32*)(p) = (v))
#endif
/* Devices move aligned numbers of 64 bits whole, also those that promise no more than to add to them. */
#if defined(COUNT_UP) && !defined(LOAD_U64)
  #define LOAD_U64(p) (*(const volatile GLOBAL u64*)(p))
  #define STORE_U64(p, v) (*(volatile GLOBAL u64*)(p) = (v))
#endif
#define BARRIER_ALL() barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE)

/* *p += v, once for every thread; the order of additions is not fixed. */
FN void atomic_add_u32(volatile GLOBAL u32* p, u32 v) { atomic_add(p, v); }
FN void atomic_add_f32(volatile GLOBAL float* p, float v) {
  volatile GLOBAL u32* bits = (volatile GLOBAL u32*)p;
  u32 old = *bits, seen;
  while ((seen = atomic_cmpxchg(bits, old, AS_U32(AS_F32(old) + v))) != old) old = seen;
}
#ifdef DEVICE_HAS_F64
  #define AS_U64(x) as_ulong(x)
  #define AS_F64(x) as_double(x)
  #ifdef cl_khr_int64_base_atomics
FN void atomic_add_f64(volatile GLOBAL double* p, double v) {
  volatile GLOBAL u64* bits = (volatile GLOBAL u64*)p;
  u64 old = *bits, seen;
  while ((seen = atom_cmpxchg(bits, old, AS_U64(AS_F64(old) + v))) != old) old = seen;
}
  #endif
#endif
