//! TLS: certificates from files, and the reasons of failed handshakes.

use std::fs::File;
use std::io::{self, Read as _};
use std::path::Path;
use std::sync::Arc;

use kibitzer_core::event::DialError;
use tokio_rustls::rustls::crypto::ring::default_provider;
use tokio_rustls::rustls::pki_types::pem::PemObject as _;
use tokio_rustls::rustls::pki_types::{CertificateDer, PrivateKeyDer};
use tokio_rustls::rustls::{CertificateError, ClientConfig, Error, RootCertStore, ServerConfig};
use tokio_rustls::{TlsAcceptor, TlsConnector};

/// Maximum size of a file with certificates or a key.
const MAX_FILE_BYTES: u64 = 1 << 20;

/// Returns a connector that accepts the certificates of public authorities and of those in `ca_file`, in PEM.
///
/// # Errors
///
/// The file cannot be read, or contains no certificate.
pub(crate) fn connector(ca_file: Option<&Path>) -> io::Result<TlsConnector> {
    let mut roots = RootCertStore { roots: webpki_roots::TLS_SERVER_ROOTS.to_vec() };
    if let Some(path) = ca_file {
        for certificate in read_certificates(path)? {
            roots.add(certificate).map_err(|error| invalid_file(path, &error))?;
        }
    }
    // The provider is named, as another crate of the program may enable a second one, which would leave no default.
    let config = ClientConfig::builder_with_provider(Arc::new(default_provider()))
        .with_safe_default_protocol_versions()
        .map_err(io::Error::other)?
        .with_root_certificates(roots)
        .with_no_client_auth();
    Ok(Arc::new(config).into())
}

/// Returns an acceptor with the certificate chain and the private key in these files, in PEM.
///
/// # Errors
///
/// A file cannot be read, or contains no certificate or key; or the two do not match.
pub(crate) fn acceptor(certificate_file: &Path, key_file: &Path) -> io::Result<TlsAcceptor> {
    let chain = read_certificates(certificate_file)?;
    let key =
        PrivateKeyDer::from_pem_slice(&read_limited(key_file)?).map_err(|error| invalid_file(key_file, &error))?;
    let config = ServerConfig::builder_with_provider(Arc::new(default_provider()))
        .with_safe_default_protocol_versions()
        .map_err(io::Error::other)?
        .with_no_client_auth()
        .with_single_cert(chain, key)
        .map_err(|error| invalid_file(key_file, &error))?;
    Ok(Arc::new(config).into())
}

/// Reads the certificates of a PEM file; at least one.
fn read_certificates(path: &Path) -> io::Result<Vec<CertificateDer<'static>>> {
    let found: Result<Vec<_>, _> = CertificateDer::pem_slice_iter(&read_limited(path)?).collect();
    match found {
        Ok(certificates) if certificates.is_empty() => Err(invalid_file(path, &"no certificate in PEM format")),
        Ok(certificates) => Ok(certificates),
        Err(error) => Err(invalid_file(path, &error)),
    }
}

/// Reads a file, which must be shorter than [`MAX_FILE_BYTES`]. An error names the file.
fn read_limited(path: &Path) -> io::Result<Vec<u8>> {
    let mut content = Vec::new();
    let n_read = File::open(path).and_then(|file| file.take(MAX_FILE_BYTES).read_to_end(&mut content));
    match n_read {
        Ok(n_read) if n_read as u64 == MAX_FILE_BYTES => Err(invalid_file(path, &"too long")),
        Ok(_) => Ok(content),
        Err(error) => Err(io::Error::new(error.kind(), format!("{}: {error}", path.display()))),
    }
}

/// Returns an error that names the file and the reason.
fn invalid_file(path: &Path, reason: &dyn std::fmt::Display) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, format!("{}: {reason}", path.display()))
}

/// Converts the error of a client's TLS handshake to one that contains a [`DialError`] with the reason. Returns an error of the
/// connection unchanged.
pub(crate) fn to_dial_error(error: io::Error) -> io::Error {
    let Some(reason) = error.get_ref().and_then(|inner| inner.downcast_ref()) else { return error };
    let Error::InvalidCertificate(reason) = reason else { return io::Error::other(DialError::TlsHandshake) };
    io::Error::other(match reason {
        CertificateError::Expired | CertificateError::ExpiredContext { .. } => DialError::CertificateExpired,
        CertificateError::NotValidYet | CertificateError::NotValidYetContext { .. } => {
            DialError::CertificateNotYetValid
        }
        CertificateError::NotValidForName | CertificateError::NotValidForNameContext { .. } => {
            DialError::CertificateOfOtherHost
        }
        CertificateError::UnknownIssuer => DialError::UnknownCertificateIssuer,
        _ => DialError::InvalidCertificate,
    })
}
