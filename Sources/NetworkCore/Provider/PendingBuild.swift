import Foundation

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// What a `requestClosure` answers to; one that lets go of it without an answer ends the request too.
final class PendingBuild: Sendable {
  private let call: RequestCall

  init(_ call: RequestCall) {
    self.call = call
  }

  deinit {
    call.begin(.failure(.underlying(UnansweredRequest(), nil)))
  }

  /// The first answer counts.
  func finish(_ built: Result<URLRequest, NetworkError>) {
    call.begin(built)
  }
}

/// The `requestClosure` never called its closure.
struct UnansweredRequest: LocalizedError {
  var errorDescription: String? { "The requestClosure let go of its closure without calling it." }
}
