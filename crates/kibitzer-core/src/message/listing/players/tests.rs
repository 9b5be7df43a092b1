mod inchannel;
mod who;

use super::*;
