use super::*;

#[test]
fn named_filters_are_kept_between_runs() {
    let store = StateDirectory::temporary("filters");
    let mut filters = NamedFilters::load(store.clone());
    assert!(filters.try_set("talk", Expression::parse("kind:tell \"a = b\"").unwrap()));
    assert!(filters.try_set("mine", Expression::parse("game:7").unwrap()));
    store.append_to(FILTERS_FILE, "no expression\nbroken = kind:x\n");
    let later = NamedFilters::load(store.clone());
    assert_eq!(later.named.keys().collect::<Vec<_>>(), ["mine", "talk"]);
    assert_eq!(later.get("talk").unwrap().to_string(), "kind:tell \"a = b\"");
    assert!(filters.remove("talk") && !filters.remove("talk"));
    assert_eq!(NamedFilters::load(store.clone()).named.keys().collect::<Vec<_>>(), ["mine"]);
    store.remove();
}

#[test]
fn filters_of_a_profile_can_be_overridden() {
    let parse = |entries: &[(&str, &str)]| {
        parse_profile_filters(&entries.iter().map(|(name, text)| ((*name).to_owned(), (*text).to_owned())).collect())
    };
    let profile = parse(&[("talk", "kind:tell"), ("mine", "game:7")]).unwrap();
    let mut filters = NamedFilters { profile, ..NamedFilters::default() };
    assert_eq!(filters.get("talk").unwrap().to_string(), "kind:tell");
    assert!(filters.try_set("talk", Expression::parse("kind:say").unwrap()));
    assert_eq!(filters.get("talk").unwrap().to_string(), "kind:say");
    assert!(filters.remove("talk"));
    assert_eq!(filters.get("talk").unwrap().to_string(), "kind:tell");
    assert!(filters.names().any(|name| name == "mine"));
    for (name, expression, want) in [
        ("no name", "x", "filter no name of the profile: a name is letters, digits, - and _"),
        ("talk", "kind:x", "filter talk of the profile: unknown kind \"x\" (character 6)"),
    ] {
        assert_eq!(parse(&[(name, expression)]).unwrap_err().to_string(), want);
    }
}

#[test]
fn the_number_of_named_filters_is_limited() {
    let mut filters = NamedFilters::default();
    let filter = Expression::parse("x").unwrap();
    assert!((0..KEPT_NAMES).all(|n| filters.try_set(&n.to_string(), filter.clone())));
    assert!(!filters.try_set("more", filter.clone()));
    assert!(filters.try_set("7", filter));
}
