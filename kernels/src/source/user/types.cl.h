/* The types that the source of user kernels names, f64 and c128 where the device has them. Complex numbers are aligned as
   their parts. */
typedef signed char i8;
typedef short i16;
typedef int i32;
typedef unsigned char u8;
typedef unsigned short u16;
typedef float f32;
typedef struct { f32 re; f32 im; } c64;
#if defined(DEVICE_HAS_F64)
typedef double f64;
typedef struct { f64 re; f64 im; } c128;
#endif
