mod history;
mod stored;

use super::*;
mod journal;
