mod color;
mod role;
mod square;

use super::*;
