/// Takes the place of mbedTLS's function of this name in this program.
///
/// Debian's libgit2 parses the system's whole file of authorities when it is started, 5 ms of every
/// command, for connections that this program never makes: `git` and `ssh` make them. With no
/// certificate known, a connection by libgit2 itself would be refused.
///
/// - Returns: 0, as if all of the file had been read.
@_cdecl("mbedtls_x509_crt_parse_file")
public func parseNoCertificates(
  _ chain: UnsafeMutableRawPointer?, _ path: UnsafePointer<CChar>?
) -> Int32 { 0 }
