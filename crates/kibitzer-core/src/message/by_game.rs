//! A map whose keys are numbers of games.

use std::collections::{BTreeMap, BTreeSet, btree_set};

use super::GameId;

/// Numbers from 0 up to this one, exclusive, index a vector; servers number their games from 1 on, and use the lowest free number.
const INDEXED_NUMBERS: usize = 4096;

/// A map from game numbers to values, in the order of the numbers. Lookup of a number below [`INDEXED_NUMBERS`] needs no search.
#[derive(Clone, Debug)]
pub(crate) struct GameMap<T> {
    /// All keys.
    numbers: BTreeSet<GameId>,
    small: Vec<Option<Box<T>>>,
    /// Values of negative and large numbers.
    others: BTreeMap<GameId, T>,
}

impl<T> Default for GameMap<T> {
    fn default() -> Self {
        Self { numbers: BTreeSet::new(), small: Vec::new(), others: BTreeMap::new() }
    }
}

impl<T> GameMap<T> {
    #[inline]
    pub(crate) fn get(&self, game: GameId) -> Option<&T> {
        match small_index(game) {
            Some(index) => self.small.get(index)?.as_deref(),
            None => self.others.get(&game),
        }
    }

    #[inline]
    pub(crate) fn get_mut(&mut self, game: GameId) -> Option<&mut T> {
        match small_index(game) {
            Some(index) => self.small.get_mut(index)?.as_deref_mut(),
            None => self.others.get_mut(&game),
        }
    }

    /// Stores the value of a game, and drops the one it replaces.
    pub(crate) fn insert(&mut self, game: GameId, value: T) {
        self.numbers.insert(game);
        let Some(index) = small_index(game) else {
            self.others.insert(game, value);
            return;
        };
        if self.small.len() <= index {
            self.small.resize_with(index + 1, || None);
        }
        if let Some(place) = self.small.get_mut(index) {
            *place = Some(Box::new(value));
        }
    }

    /// Drops the value of a game; does nothing if it has none.
    pub(crate) fn remove(&mut self, game: GameId) {
        self.numbers.remove(&game);
        match small_index(game).and_then(|index| self.small.get_mut(index)) {
            Some(place) => *place = None,
            None => drop(self.others.remove(&game)),
        }
    }

    /// Returns the number of stored values.
    pub(crate) fn len(&self) -> usize {
        self.numbers.len()
    }

    /// Iterates over the games and their values by ascending number.
    pub(crate) fn iter(&self) -> GameMapIter<'_, T> {
        GameMapIter { map: self, numbers: self.numbers.iter() }
    }
}

/// Iterator over the games of a [`GameMap`] and their values by ascending number.
#[derive(Clone, Debug)]
pub(crate) struct GameMapIter<'a, T> {
    map: &'a GameMap<T>,
    numbers: btree_set::Iter<'a, GameId>,
}

impl<'a, T> Iterator for GameMapIter<'a, T> {
    type Item = (GameId, &'a T);

    fn next(&mut self) -> Option<Self::Item> {
        self.numbers.find_map(|&game| Some((game, self.map.get(game)?)))
    }
}

/// Returns the index in `small`; `None` for a negative number, and from [`INDEXED_NUMBERS`] on.
#[inline]
fn small_index(game: GameId) -> Option<usize> {
    usize::try_from(game.0).ok().filter(|index| *index < INDEXED_NUMBERS)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn it_is_an_ordered_map(steps in prop::collection::vec((-3..6_i32, 0..3_u8, any::<bool>()), 0..60)) {
            let (mut found, mut want) = (GameMap::default(), BTreeMap::new());
            for (value, (number, action, is_large)) in steps.into_iter().enumerate() {
                let game = GameId(if is_large { number + 4094 } else { number });
                if action == 0 {
                    found.remove(game);
                    want.remove(&game);
                } else {
                    found.insert(game, value);
                    want.insert(game, value);
                }
                prop_assert_eq!((found.get(game), found.len()), (want.get(&game), want.len()));
                prop_assert_eq!(found.get_mut(game), want.get_mut(&game));
                prop_assert!(found.iter().eq(want.iter().map(|(game, value)| (*game, value))));
            }
        }
    }
}
