import Foundation
import Moya

/// Loads a profile without Rx, by means of a closure, a cancellation token and a state.
final class ProfileLoader {
  enum State: Equatable {
    case idle
    case loading
    case loaded(Profile)
    case failed(String)
  }

  private(set) var state = State.idle
  private var request: Cancellable?
  private let provider: MoyaProvider<MultiTarget>

  init(provider: MoyaProvider<MultiTarget>) {
    self.provider = provider
  }

  func load(_ name: String) {
    request?.cancel()
    state = .loading
    request = provider.request(MultiTarget(GitHubAPI.userProfile(name))) { [weak self] result in
      guard let self = self else { return }
      switch result {
      case let .success(response):
        do {
          let decoder = JSONDecoder()
          decoder.keyDecodingStrategy = .convertFromSnakeCase
          self.state = .loaded(try response.filterSuccessfulStatusCodes().map(Profile.self, using: decoder))
        } catch MoyaError.statusCode(let response) {
          self.state = .failed("\(response.statusCode)")
        } catch {
          self.state = .failed(error.localizedDescription)
        }
      case let .failure(error):
        self.state = .failed(error.errorDescription ?? "")
      }
    }
  }
}
