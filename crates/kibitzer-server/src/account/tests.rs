use super::*;

#[test]
fn accounts_are_parsed() {
    let accounts = Account::parse_list(
        "[[account]]\nhandle = 'Newton'\npassword = 'apple'\ntitles = ['GM', '*']\n[account.ratings]\nblitz = 2100\n\
             [[account]]\nhandle = 'Leibniz'\npassword = 'dx'\nbanned = true\n",
        ImitatedFamily::Fics,
    );
    let newton = Account::new("Newton".parse().unwrap(), "apple").add_title("GM").add_title("*").rating("blitz", 2100);
    let leibniz = Account::new("Leibniz".parse().unwrap(), "dx").banned();
    let want = [newton, leibniz];
    assert_eq!(accounts.unwrap(), want);
    let mut accounts = Accounts::default();
    for account in want {
        accounts.insert(account);
    }
    assert!(accounts.get("NEWTON").is_some());
    assert_eq!(accounts.find_by_prefix("new").map(|account| account.handle.as_str()), Some("Newton"));
}

#[test]
fn invalid_accounts_are_reported() {
    let error = |text: &str| Account::parse_list(text, ImitatedFamily::Fics).unwrap_err();
    let unknown = error("[[account]]\nhandle = 'Newton'\npassword = 'x'\nraitngs = {}\n");
    assert!(unknown.to_string().contains("line 4"), "{unknown:?}");
    let twice = "[[account]]\nhandle = 'Newton'\npassword = 'x'\n[[account]]\nhandle = 'newton'\npassword = 'x'\n";
    assert_eq!(error(twice).to_string(), "two accounts are named newton");
    assert_eq!(Account::load_list("/nonexistent", ImitatedFamily::Fics).unwrap_err().kind(), io::ErrorKind::NotFound);
}

#[test]
fn names_follow_the_rule_of_the_family() {
    let cases = [
        ("Newton", [true, true]),
        ("No", [false, true]),
        ("N2-old", [false, true]),
        ("Abcdefghijklmnop", [true, false]),
        ("2N", [false, false]),
    ];
    for (name, want) in cases {
        let text = format!("[[account]]\nhandle = '{name}'\npassword = 'x'\n");
        for (family, want) in [ImitatedFamily::Fics, ImitatedFamily::Icc].into_iter().zip(want) {
            match Account::parse_list(&text, family) {
                Ok(accounts) => assert!(want && accounts[0].handle.as_str() == name, "{name} {family:?}"),
                Err(error) => assert!(!want && error.to_string().ends_with(&format!("{name:?}")), "{error}"),
            }
        }
    }
    let error = Account::parse_list("[[account]]\nhandle = 'x'\npassword = 'x'\n", ImitatedFamily::Icc).unwrap_err();
    assert!(error.to_string().contains("not 2 to 15 letters and digits"), "{error}");
}

#[test]
fn debug_omits_the_password() {
    let shown = format!("{:?}", Account::new("Newton".parse().unwrap(), "apple"));
    assert!(!shown.contains("apple"), "{shown}");
}
