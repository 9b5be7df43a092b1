use super::*;

#[test]
fn every_ivar_has_a_bit_of_its_own() {
    for &ivar in Ivar::ALL {
        let mut capabilities = Capabilities::default();
        capabilities.set(ivar, true);
        assert_eq!(capabilities.ivars().collect::<Vec<_>>(), [ivar]);
        capabilities.set(ivar, false);
        assert_eq!(capabilities, Capabilities::default());
    }
}
