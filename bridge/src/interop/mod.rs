//! Arrays from other libraries and to them.

mod ndarray;
