import NetworkCore
import Testing
import TransportTesting

/// `BrokenContractTests` and `RefusedTransportTests` have more faults.
@Suite("Transports that leak secrets, which the contract refuses", .timeLimit(.minutes(5)))
struct LeakingTransportTests {
  /// What a transport does wrong; a single check notices it.
  private enum Fault: String, CaseIterable {
    case sendsAuthorizationElsewhere, sendsCookiesElsewhere, dropsFieldsElsewhere, sendsCredentialsElsewhere,
      hidesCookies, sharesPrivateResponses, countsNoBytes, reportsEventsTwice

    var check: String {
      switch self {
      case .sendsAuthorizationElsewhere, .sendsCookiesElsewhere, .dropsFieldsElsewhere:
        "Authorization and Cookie do not follow a redirect to another origin"
      case .sendsCredentialsElsewhere: "a credential does not follow a redirect to another origin"
      case .hidesCookies: "the transport states that it keeps cookies"
      case .sharesPrivateResponses: "a cache shares no response to a request with an added credential"
      case .countsNoBytes: "gauges count the bytes of bodies"
      case .reportsEventsTwice: "an observer sees events in order, if the transport reports them"
      }
    }

    var configuration: CurlConfiguration {
      var configuration = CurlConfiguration()
      if self == .hidesCookies { configuration.cookies = .memory }
      configuration.redirects = .modify { next, _ in
        var next = next
        switch self {
        case .sendsAuthorizationElsewhere: next.headers.update(name: "Authorization", value: "secret")
        case .sendsCookiesElsewhere: next.headers.update(name: "Cookie", value: "a=b")
        case .dropsFieldsElsewhere: next.headers.remove(name: "X-Kept")
        case .sendsCredentialsElsewhere: next.credential = .bearer(token: "secret")
        default: break
        }
        return next
      }
      return configuration
    }
  }

  private struct Faulty: TransportLayer {
    let fault: Fault
    let wrapped: any Transport

    var gauges: TransportGauges? {
      guard fault == .countsNoBytes, var gauges = wrapped.gauges else { return wrapped.gauges }
      gauges.bodyBytesReceived = 0
      return gauges
    }

    func addedCredentials(to request: TransportRequest) -> AddedCredentials {
      fault == .hidesCookies || fault == .sharesPrivateResponses
        ? [] : wrapped.addedCredentials(to: request)
    }

    func start(
      _ request: TransportRequest, handler: @escaping @Sendable (TransferEvent) -> Void
    ) -> any Cancellable {
      var request = request
      if fault == .sharesPrivateResponses { request.headers.update(name: "Authorization", value: "Bearer t") }
      if fault == .reportsEventsTwice { request.observer?.report(.requestSent) }
      return wrapped.start(request, handler: handler)
    }
  }

  @Test("a check notices each fault", arguments: Fault.allCases)
  private func notices(fault: Fault) async {
    let checks = TransportContract.Check.all.filter { $0.name == fault.check }
    #expect(checks.count == 1, "no check is named \(fault.check)")
    // A fault that makes a check wait is noticed after this time.
    let contract = TransportContract(checks: checks, patience: .seconds(5)) {
      Faulty(fault: fault, wrapped: try CurlTransport(configuration: fault.configuration))
    }
    let violations = await contract.violations()
    #expect(violations.first?.check.name == fault.check)
  }
}
