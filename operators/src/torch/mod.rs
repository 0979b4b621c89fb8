//! Operators as functions of tensors, through which torch's backward passes go: [`Operator::torch`](crate::Operator::torch).

mod batches;
mod executors;
mod function;

pub use function::TorchOperator;
