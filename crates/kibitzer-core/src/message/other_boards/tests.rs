mod delta;
mod style10;

use super::*;
