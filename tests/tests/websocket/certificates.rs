//! Certificates of an authority that exists for one test.

use std::path::PathBuf;

use rcgen::{BasicConstraints, Certificate, CertificateParams, CertifiedIssuer, DnType, IsCa, KeyPair, date_time_ymd};

/// A directory with PEM files, removed at the end of the test.
pub(crate) struct Certificates {
    directory: PathBuf,
    authority: CertifiedIssuer<'static, KeyPair>,
}

impl Certificates {
    /// Creates an authority, in the file `ca.pem`.
    pub(crate) fn new(name: &str) -> Self {
        let directory = std::env::temp_dir().join(format!("kibitzer-certificates-{}-{name}", std::process::id()));
        std::fs::create_dir_all(&directory).unwrap();
        let mut params = CertificateParams::new(Vec::new()).unwrap();
        params.distinguished_name.push(DnType::CommonName, name);
        params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
        let authority = CertifiedIssuer::self_signed(params, KeyPair::generate().unwrap()).unwrap();
        std::fs::write(directory.join("ca.pem"), authority.pem()).unwrap();
        Self { directory, authority }
    }

    pub(crate) fn authority(&self) -> PathBuf {
        self.directory.join("ca.pem")
    }

    /// Issues a certificate for a host that is valid from the first day of one year to that of another; returns the files of the
    /// certificate and of its key.
    pub(crate) fn issue(&self, host: &str, years: (i32, i32)) -> (PathBuf, PathBuf) {
        let mut params = CertificateParams::new([host.to_owned()]).unwrap();
        params.not_before = date_time_ymd(years.0, 1, 1);
        params.not_after = date_time_ymd(years.1, 1, 1);
        let key = KeyPair::generate().unwrap();
        let certificate: Certificate = params.signed_by(&key, &self.authority).unwrap();
        let files = (self.directory.join("server.pem"), self.directory.join("key.pem"));
        std::fs::write(&files.0, certificate.pem()).unwrap();
        std::fs::write(&files.1, key.serialize_pem()).unwrap();
        files
    }
}

impl Drop for Certificates {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.directory);
    }
}
