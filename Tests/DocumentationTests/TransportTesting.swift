import NetworkCore
import TransportTesting

/// The examples of TransportTesting's catalogue.
private enum TransportTestingExamples {
  typealias MyTransport = URLSessionTransport

  static func run() async {
    let contract = TransportContract { MyTransport() }
    for violation in await contract.violations() { print(violation) }
  }
}
