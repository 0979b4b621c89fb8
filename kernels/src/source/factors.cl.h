/* y[0] = c0, y[1] = c1: the factors of an update where a library reads them. Before this text stand the parameters. */

KERNEL factors(PARAMETERS) {
  AFTER_EARLIER_KERNELS
  PROLOGUE
  if (GID(0) == 0) {
    y[0] = c0;
    y[1] = c1;
  }
}
