import Foundation
import NetworkCore
import ReactiveNetwork
import RxLite

enum GitHub: TargetType {
  case userRepositories(String)

  var baseURL: URL { URL(string: "https://api.github.com")! }
  var path: String {
    switch self {
    case .userRepositories(let name): "/users/\(name)/repos"
    }
  }
}

struct Repo: Decodable {
  let name: String
}

/// The rest of the example, which needs the network to run.
func readmeExample() {
  let provider = NetworkProvider<GitHub>()
  let bag = DisposeBag()

  provider.rx.request(.userRepositories("ash"))
    .filterSuccessfulStatusCodes()
    .map([Repo].self)
    .observe(on: MainScheduler.instance)
    .subscribe(
      onSuccess: { repos in print(repos.map(\.name)) },
      onFailure: { error in print(error.localizedDescription) }
    )
    .disposed(by: bag)
  RunLoop.main.run()
}
