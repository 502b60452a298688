import Foundation
import NetworkCore

/// The server has failed a request on purpose; it may have acted on it.
struct PlannedFailure: Error {}

/// The outcome of one run of a scenario.
enum Outcome: Sendable {
  case response(status: Int, body: Data)
  /// A pipeline has received what it expects.
  case complete
  /// A pipeline has received something else.
  case wrong(String)
  case failure(any Error)
  /// The subscription was disposed, and no event followed.
  case noEvent

  /// The name of the failure's kind; `nil` if it is not a failure.
  var failureKind: String? {
    guard case .failure(let error) = self else { return nil }
    switch (error as? NetworkError)?.underlyingError ?? error {
    case let error as TransferError: return Self.caseName(of: error)
    case NetworkError.statusCode(let response): return "status \(response.statusCode)"
    case let error: return "\(type(of: error))"
    }
  }

  private static func caseName(of value: Any) -> String {
    Mirror(reflecting: value).children.first?.label ?? "\(value)"
  }
}
