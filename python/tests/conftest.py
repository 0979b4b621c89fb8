"""What holds for all tests."""

import signal

# Shells have programs in the background ignore interrupts, which Python leaves as it is.
signal.signal(signal.SIGINT, signal.default_int_handler)
