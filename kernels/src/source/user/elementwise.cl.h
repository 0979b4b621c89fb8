/* A user's elementwise kernel. Before this text stand the parameters, the index space and
     ELEMENT   what is done for one element, at i of its row */
KERNEL elementwise(PARAMETERS) {
  AFTER_EARLIER_KERNELS
  PROLOGUE
  for (idx z = (idx)GID(2); z < OUTER; z += (idx)GSZ(2)) {
    SPLIT(z)
    for (idx i1 = (idx)GID(1); i1 < n1; i1 += (idx)GSZ(1)) {
      for (idx i = (idx)GID(0); i < n0; i += (idx)GSZ(0)) {
        ELEMENT
      }
    }
  }
}
