mod san;
mod smith;
mod uci;

use super::*;
