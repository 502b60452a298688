import Foundation
import NetworkCore

/// A kind of request, and its expected outcomes.
struct Scenario: Sendable {
  /// The interface that sends the request.
  enum Client: Sendable {
    case transport
    /// The transport, with a cancellation after a while; a response that was complete by then may be
    /// delivered.
    case cancelled
    /// `provider.rx.request`.
    case reactive
    /// `provider.rx.request`, disposed after a while.
    case disposed
  }

  /// The outcome of a request.
  enum Outcome: Sendable {
    case response(status: Int, body: Data)
    case failure(TransferError)
    case other(String)
    /// The subscription was disposed, and no event followed.
    case noEvent
  }

  let name: String
  let request: TransportRequest
  /// The relative frequency of the scenario.
  let weight: Int
  let client: Client
  /// `true` if the scenario provokes a fault, which is counted by name.
  let isFault: Bool
  let isExpected: @Sendable (Outcome) -> Bool
}

extension Scenario {
  /// Returns all scenarios.
  ///
  /// - Parameters:
  ///   - origin: the server's origin.
  ///   - closedPort: a port that refuses connections.
  /// - Returns: the scenarios, to be drawn at random by their weights.
  static func all(origin: String, closedPort: UInt16) -> [Scenario] {
    let normal: [Scenario] = [
      .normal("text", origin + "/text", weight: 30),
      .normal("model", origin + "/model", weight: 20, client: .reactive, #"{"id":7,"name":"a model"}"#),
      .normal("chunked", origin + "/chunked", weight: 10),
      .normal("redirect", origin + "/redirect", weight: 4),
      .normal("slow", origin + "/slow", weight: 4),
      .normal("trickle", origin + "/trickle", weight: 2),
      .normal("missing", origin + "/missing", status: 404, weight: 4),
      .normal("large", origin + "/large", weight: 1, String(repeating: "a", count: largeCount)),
      .echo(origin + "/echo", bytes: 2_000, weight: 8),
      .echo(origin + "/echo", bytes: 200_000, weight: 1),
    ]
    let faults: [Scenario] = [
      .fault("refuse", "http://127.0.0.1:\(closedPort)/") {
        if case .cannotConnect = $0 { true } else { false }
      },
      .fault("close", origin + "/close", \.isLost),
      .fault("reset", origin + "/reset", \.isLost),
      .fault("close in head", origin + "/close-in-head", \.isLost),
      .fault("close in body", origin + "/close-in-body", \.isTruncated),
      .fault("reset in body", origin + "/reset-in-body") { $0.isTruncated || $0.isLost },
      .fault("close in chunks", origin + "/close-in-chunks", \.isTruncated),
      .fault("wrong length", origin + "/wrong-length", \.isTruncated),
      .fault("bad chunk", origin + "/bad-chunk", \.isInvalid),
      .fault("garbage", origin + "/garbage", \.isInvalid),
      .fault("redirect loop", origin + "/loop") { if case .tooManyRedirects = $0 { true } else { false } },
      .fault("redirect to a file", origin + "/elsewhere") {
        if case .redirectRefused = $0 { true } else { false }
      },
      .fault("no response", origin + "/never", idleTimeout: 0.2) {
        if case .timedOut = $0 { true } else { false }
      },
      .fault("header injection", origin + "/text", headers: ["X": "a\r\nY: b"]) {
        if case .invalidField = $0 { true } else { false }
      },
      .cancellation("cancel", origin + "/trickle", client: .cancelled),
      .cancellation("cancel of a large body", origin + "/large", client: .cancelled),
      .cancellation("cancel without a response", origin + "/never", client: .cancelled),
      .cancellation("dispose", origin + "/trickle", client: .disposed),
      .cancellation("dispose without a response", origin + "/never", client: .disposed),
    ]
    return normal + faults
  }

  private static func normal(
    _ name: String, _ url: String, status: Int = 200, weight: Int, client: Client = .transport,
    _ body: String = text
  ) -> Scenario {
    let expected = Data(body.utf8)
    return Scenario(
      name: name, request: TransportRequest(url: url), weight: weight, client: client, isFault: false
    ) {
      if case .response(status, expected) = $0 { true } else { false }
    }
  }

  private static func echo(_ url: String, bytes: Int, weight: Int) -> Scenario {
    let body = Data((0..<bytes).map { UInt8(truncatingIfNeeded: $0 &* 31) })
    return Scenario(
      name: "echo of \(bytes)", request: TransportRequest(method: .put, url: url, body: .data(body)),
      weight: weight, client: .transport, isFault: false
    ) {
      if case .response(200, body) = $0 { true } else { false }
    }
  }

  private static func fault(
    _ name: String, _ url: String, headers: HTTPHeaders = [:], idleTimeout: TimeInterval = 60,
    _ isExpected: @escaping @Sendable (TransferError) -> Bool
  ) -> Scenario {
    Scenario(
      name: name, request: TransportRequest(url: url, headers: headers, idleTimeout: idleTimeout), weight: 1,
      client: .transport, isFault: true
    ) {
      if case .failure(let error) = $0 { isExpected(error) } else { false }
    }
  }

  private static func cancellation(_ name: String, _ url: String, client: Client) -> Scenario {
    Scenario(name: name, request: TransportRequest(url: url), weight: 1, client: client, isFault: true) {
      switch $0 {
      case .failure(.cancelled), .noEvent: true
      case .response(200, let body): body == Data(text.utf8) || body.count == largeCount
      default: false
      }
    }
  }
}

extension TransferError {
  fileprivate var isLost: Bool { if case .connectionLost = self { true } else { false } }
  fileprivate var isTruncated: Bool { if case .truncatedBody = self { true } else { false } }
  fileprivate var isInvalid: Bool { if case .badServerResponse = self { true } else { false } }
}
