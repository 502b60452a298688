import Foundation
import NetworkCore

/// The targets that most suites use.
enum GitHub: TargetType {
  case zen
  case profile(String)

  var baseURL: URL { URL(staticString: "https://api.github.com") }
  var path: String {
    switch self {
    case .zen: "/zen"
    case .profile(let name): "/users/\(name)"
    }
  }
  var sampleData: Data { Data("Half measures are as bad as nothing at all.".utf8) }
}

extension URL {
  init(staticString: StaticString) {
    guard let url = URL(string: "\(staticString)") else { preconditionFailure("\(staticString)") }
    self = url
  }
}
