import Foundation
import NetworkCore

/// Not run, because it calls a service that does not exist.
private func sendToNowhere() {
  let provider = NetworkProvider<API>()
  provider.request(.zen) { result in
    Thread.sleep(forTimeInterval: 2)  // delays no transfer, time-out or cancellation
    print(result)
  }
}
