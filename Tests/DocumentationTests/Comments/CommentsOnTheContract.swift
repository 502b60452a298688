import NetworkCore
import TransportTesting

private typealias MyTransport = URLSessionTransport

private enum ContractExamples {
  static func whole() async {
    let contract = TransportContract { MyTransport() }
    for violation in await contract.violations() { print(violation) }
  }

  static func part() async {
    let checks = TransportContract.Check.all.filter { $0.subject != .redirects }
    let contract = TransportContract(checks: checks) { MyTransport() }
    _ = contract
  }
}
