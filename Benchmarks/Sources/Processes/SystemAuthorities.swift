import Foundation

/// The file with the system's authorities, for Debian and for Fedora; `nil` if there is none.
public let systemAuthorities = [
  "/etc/ssl/certs/ca-certificates.crt", "/etc/pki/tls/certs/ca-bundle.crt",
].first(where: FileManager.default.isReadableFile)

extension ChildProcess {
  /// Starts this program with another file in the place of the system's authorities, for this child only.
  ///
  /// So clients trust a test server with their default settings, and still read all of the system's authorities.
  /// A mount namespace hides the system's file (Linux). If that is not allowed, the child ends at once.
  public convenience init(_ arguments: [String], systemAuthorities replacement: String) throws {
    let script = #"mount --bind "$1" "$2" && shift 2 && exec "$@""#
    let program = URL(filePath: "/proc/self/exe").resolvingSymlinksInPath().path()
    try self.init(
      (geteuid() == 0 ? [] : ["--map-root-user"])
        + ["--mount", "sh", "-c", script, "sh", replacement, systemAuthorities ?? "", program] + arguments,
      program: "/usr/bin/unshare")
  }
}
