/* Behind PROLOGUE, in kernels that count all places from the first ones of x0 and y. CUDA's compiler would count each address
   from where the block begins, in three instructions; from pointers that it knows nothing about it counts in one. */
#if defined(DEV_CUDA)
  #define FROM_FIRST_PLACES                                                       \
    {                                                                             \
      u64 of_x0 = __cvta_generic_to_global(x0), of_y = __cvta_generic_to_global(y); \
      asm("" : "+l"(of_x0), "+l"(of_y));                                          \
      x0 = (const elem*)__cvta_global_to_generic(of_x0);                          \
      y = (elem*)__cvta_global_to_generic(of_y);                                  \
    }
#else
  #define FROM_FIRST_PLACES
#endif
