//! Index maps against tables that say for every output element what it reads.

mod algebra;
mod construct;
mod costs;
mod long;
mod reference;
mod running;

use super::{AxisMap, IndexBox, IndexMap, MOST_BOXES, Piece};
use crate::Error;
use reference::{Choices, Table, chain, indices, random, shape};
