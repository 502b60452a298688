import Foundation
import NetworkCore

/// A request of a program.
struct ProgramTarget: TargetType, AccessTokenAuthorizable {
  /// The field of requests to which nothing adds a token.
  static let anonymous = "X-Anonymous"

  let baseURL: URL
  let path: String
  let number: Int
  var method = HTTPMethod.get
  var isAuthorized = true

  var headers: [String: String]? {
    var headers = ["X-Program": "\(number)"]
    if !isAuthorized { headers[Self.anonymous] = "1" }
    return headers
  }
  var authorizationType: AuthorizationType? { isAuthorized ? .bearer : nil }
}
