internal import Foundation

/// The transport that a provider uses by default: one for the whole process.
func defaultTransport() -> any Transport { standard }

private let standard: any Transport = {
  #if os(Linux)
    return curlOrFallback(report: reportOnStandardError) { () throws(CurlUnavailableError) in
      try CurlTransport.shared
    }
  #else
    return URLSessionTransport.shared
  #endif
}()

/// Returns libcurl's transport if it is available; otherwise URLSession's, after a single call of `report`
/// with the reason.
package func curlOrFallback(
  report: (String) -> Void, make: () throws(CurlUnavailableError) -> CurlTransport
) -> any Transport {
  do throws(CurlUnavailableError) {
    return try make()
  } catch {
    report(
      """
      ReactiveNetwork: libcurl cannot be used: \(error.reason). Requests go through URLSession, which is slower and \
      lacks some features. Install libcurl 4 (\(CurlLibrary.floor.major).\(CurlLibrary.floor.minor) or newer), on Debian and Ubuntu the package libcurl4.
      """)
    return URLSessionTransport.shared
  }
}

private func reportOnStandardError(_ text: String) {
  FileHandle.standardError.write(Data((text + "\n").utf8))
}
