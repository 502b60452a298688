import Foundation
import NetworkCore
import RxLite

/// A kind of request or pipeline, and its expected outcomes.
struct Scenario: Sendable {
  enum Client: Sendable {
    /// The bare transport.
    case transport(TransportRequest)
    /// A pipeline of the provider with all policies; it receives the number of the run.
    case pipeline(@Sendable (SoakClient, Int) -> Single<Outcome>)
  }

  let name: String
  /// The relative frequency of the scenario.
  let weight: Int
  let client: Client
  /// Whether it is cancelled after a while; a response that was complete by then may be delivered.
  var isCancelled = false
  /// Returns whether an outcome is right while nothing disturbs the client or the server.
  let isExpected: @Sendable (Outcome) -> Bool
}

/// The field in which a request names its scenario, by which the server counts.
let scenarioField = "Scenario"

/// The addresses of the server.
struct ServerAddresses: Sendable {
  /// HTTP/1.1 without TLS.
  let plain: String
  /// HTTP/2 over TLS.
  let secure: String
  /// A port on which nothing listens.
  let closedPort: UInt16

  /// Every scenario, to be drawn at random by its weight.
  var scenarios: [Scenario] { requests + faults + cancellations + pipelines(plain) + pipelines(secure) }
}
