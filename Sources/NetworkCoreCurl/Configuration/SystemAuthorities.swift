internal import CNetworkCoreCurl
internal import Foundation

/// The system's authorities, in the file and in the directory that libcurl was built with.
///
/// With a directory, libcurl reads the file anew for each connection, which takes some 30 ms of processor time and
/// 800 KiB; without one, it keeps what it has read, for 24 hours (`CURLOPT_CA_CACHE_TIMEOUT`, 7.87). So the
/// directory is left out if the file has all certificates in it, as on Debian, where one command writes both.
package enum SystemAuthorities {
  /// Options that leave out the directory; none if libcurl needs it.
  ///
  /// OpenSSL reads only files of a directory that are named after a hash. Other libraries read others.
  static func settings(_ library: CurlLibrary) -> [CurlSetting] {
    guard library.verifyingLibrary == .openSSL, let easy = CurlEasy(library: library),
      let file = easy.string(CCURLINFO_CAINFO), let directory = easy.string(CCURLINFO_CAPATH),
      areCertificates(ofDirectory: directory, inFile: file)
    else { return [] }
    return [
      CurlSetting("CURLOPT_CAPATH", CCURLOPT_CAPATH, .string(nil)),
      CurlSetting("CURLOPT_PROXY_CAPATH", CCURLOPT_PROXY_CAPATH, .string(nil)),
    ]
  }

  /// Returns whether a file has all certificates that OpenSSL can find in a directory.
  ///
  /// - Parameters:
  ///   - directory: the path of the directory.
  ///   - file: the path of a PEM file.
  /// - Returns: `false` also if that is unknown, or the directory has a list of revoked certificates.
  package static func areCertificates(ofDirectory directory: String, inFile file: String) -> Bool {
    guard let known = certificates(file), !known.isEmpty,
      let names = try? FileManager.default.contentsOfDirectory(atPath: directory)
    else { return false }
    return names.lazy.filter(isHash).allSatisfy { name in
      !name.contains("r") && certificates("\(directory)/\(name)")?.isSubset(of: known) == true
    }
  }

  /// Returns whether OpenSSL may look for a file name: eight hexadecimal digits, a dot, for a list of revoked
  /// certificates an `r`, and a number.
  private static func isHash(_ name: String) -> Bool {
    let parts = name.utf8.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
    return parts.count == 2 && parts[0].count == 8 && parts[0].allSatisfy { Character(.init($0)).isHexDigit }
  }

  /// Returns the texts of the certificates in a PEM file; `nil` if it cannot be read or has other contents as well.
  private static func certificates(_ file: String) -> Set<Data>? {
    guard let pem = FileManager.default.contents(atPath: file) else { return nil }
    var certificates: Set<Data> = []
    var start: Int?
    for line in pem.split(separator: UInt8(ascii: "\n")) {
      if line.starts(with: "-----BEGIN ".utf8) {
        guard start == nil, line.starts(with: "-----BEGIN CERTIFICATE-----".utf8) else { return nil }
        start = line.endIndex
      } else if let begin = start, line.starts(with: "-----END ".utf8) {
        certificates.insert(pem[begin..<line.startIndex])
        start = nil
      }
    }
    return start == nil ? certificates : nil
  }
}
