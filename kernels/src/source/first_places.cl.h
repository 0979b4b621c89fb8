/* Behind PROLOGUE, in kernels that count all places from the first ones of x0 and y. NVIDIA's compilers would count each address
   from where the block begins, in three instructions; from pointers that they know nothing about they count in one. */
#if defined(DEV_CUDA)
  #define FROM_FIRST_PLACES                                                       \
    {                                                                             \
      u64 of_x0 = __cvta_generic_to_global(x0), of_y = __cvta_generic_to_global(y); \
      asm("" : "+l"(of_x0), "+l"(of_y));                                          \
      x0 = (const elem*)__cvta_global_to_generic(of_x0);                          \
      y = (elem*)__cvta_global_to_generic(of_y);                                  \
    }
#elif defined(__NV_CL_C_VERSION)
  #define FROM_FIRST_PLACES                                                       \
    {                                                                             \
      u64 of_x0 = (u64)x0, of_y = (u64)y;                                         \
      asm("" : "+l"(of_x0), "+l"(of_y));                                          \
      x0 = (const GLOBAL elem*)of_x0;                                             \
      y = (GLOBAL elem*)of_y;                                                     \
    }
#else
  #define FROM_FIRST_PLACES
#endif
