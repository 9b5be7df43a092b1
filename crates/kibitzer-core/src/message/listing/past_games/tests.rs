mod history;
mod stored;

use super::*;
