import Foundation
import NetworkCore

/// The target of examples that are about a transport.
enum API: TargetType {
  case zen

  var baseURL: URL { URL(string: "https://api.example.com")! }
  var path: String { "/zen" }
}
