#if canImport(Combine)
  import Combine
  import Foundation
  import NetworkCore
  import ReactiveNetwork

  private enum GitHub: TargetType {
    case zen

    var baseURL: URL { URL(string: "https://api.github.com")! }
    var path: String { "/zen" }
  }

  private func publishers(_ provider: NetworkProvider<GitHub>) {
    let request = provider.requestPublisher(.zen)
      .filterSuccessfulStatusCodes()
      .mapString()
      .sink(receiveCompletion: { print($0) }, receiveValue: { print($0) })
    request.cancel()
  }
#endif
