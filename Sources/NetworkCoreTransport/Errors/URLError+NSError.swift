package import Foundation

extension URLError {
  /// Creates an error from a `URLError` or an `NSError` of its domain; `nil` for any other error.
  ///
  /// On Linux, a cast does not convert an `NSError`, which stubs and mocks that are written for Moya contain.
  package init?(bridging error: any Error) {
    if let error = error as? URLError {
      self = error
      return
    }
    let bridged = error as NSError
    let code: Code? = Code(rawValue: bridged.code)
    guard bridged.domain == NSURLErrorDomain, let code else { return nil }
    self.init(code, userInfo: bridged.userInfo)
  }
}
