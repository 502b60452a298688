import Foundation
import NetworkCore
import ReactiveNetworkLock
import Testing
import TransportTesting

/// `BrokenContractTests` has more faults, and the order of violations.
@Suite("Transports that the contract refuses", .timeLimit(.minutes(5)))
struct RefusedTransportTests {
  /// What a transport does wrong; a single check notices it.
  private enum Fault: String, CaseIterable {
    case reportsBodiesFirst, losesHeads, alwaysMeasures, exceedsLimits, subtractsFromLimits, hidesCancels,
      endsFailuresAsCancelled, reportsAfterCancels, reportsWithTheNextRequest, repeatsFields,
      repeatsCredentials, addsCookies, cutsURLs, countsUpOnly, renamesTimeouts, renamesLongRedirects,
      renamesWrongLengths, renamesFailedReads, fillsResponsesToHead, failsOnStatuses, failsOnRefusedUpgrades,
      completesFailures, forgetsTargets, shoutsMethods, reportsProgressUnasked, dropsBodiesOfGET,
      claimsFields, overwritesFields, hidesTransfers, keepsCancelledHandlers

    var check: String {
      switch self {
      case .reportsBodiesFirst: "a response is a head, its body and one end"
      case .losesHeads, .reportsWithTheNextRequest: "a cancel after the end does nothing"
      case .alwaysMeasures: "metrics are reported only on request"
      case .exceedsLimits: "a chunked body longer than the limit ends with .responseTooLarge"
      case .subtractsFromLimits: "a body of exactly the limit arrives"
      case .hidesCancels: "a transfer that is cancelled at once ends with .cancelled"
      case .endsFailuresAsCancelled: "a body that is shorter than announced ends with an error"
      case .reportsAfterCancels: "a cancel in the handler of the head is followed by the end only"
      case .repeatsFields: "a request has no field of an earlier one"
      case .repeatsCredentials: "a credential is not sent with the next request"
      case .addsCookies: "a request that does not handle cookies gets none of the transport's"
      case .cutsURLs: "the head has the requested URL"
      case .countsUpOnly: "gauges count a request while it is in flight"
      case .renamesTimeouts: "a server that stops in the body ends the transfer after idleTimeout"
      case .renamesLongRedirects: "an endless chain of redirects ends with an error"
      case .renamesWrongLengths: "a stream that is shorter than announced ends with .wrongBodyLength"
      case .renamesFailedReads: "a stream that fails ends the transfer, and the server gets no whole request"
      case .fillsResponsesToHead: "a response to HEAD has a head only"
      case .failsOnStatuses: "no status is an error"
      case .failsOnRefusedUpgrades:
        "another response than 101 is a normal response, although the body of the request is open"
      case .completesFailures: "a chunked body that is cut off ends with an error"
      case .forgetsTargets: "only the last response of a chain of redirects is reported"
      case .shoutsMethods: "method, target, fields and body are sent as they are"
      case .reportsProgressUnasked: "a body of 1 MiB is sent byte for byte, with its length"
      case .dropsBodiesOfGET: "a GET can have a body"
      case .claimsFields, .overwritesFields:
        "the default fields are sent, and a request's own field replaces them"
      case .hidesTransfers: "tokens are Transfers if the transport states that transfers can be paused"
      case .keepsCancelledHandlers: "the handler is released after a cancel"
      }
    }
  }

  private final class Faulty: TransportLayer {
    typealias Handler = @Sendable (TransferEvent) -> Void

    private struct UncancelledToken: Cancellable {
      let token: any Cancellable
      var isCancelled: Bool { false }
      func cancel() { token.cancel() }
    }

    let wrapped: any Transport
    private let fault: Fault
    private let ended = Lock([Handler]())
    private let note = Lock<String?>(nil)
    private let credential = Lock<TransportRequest.Credential?>(nil)
    private let cookie = Lock<String?>(nil)
    private let mostInFlight = Lock(0)

    init(_ fault: Fault, around wrapped: any Transport) {
      self.fault = fault
      self.wrapped = wrapped
    }

    var gauges: TransportGauges? {
      guard fault == .countsUpOnly, var gauges = wrapped.gauges else { return wrapped.gauges }
      let inFlight = gauges.requestsInFlight
      gauges.requestsInFlight = mostInFlight.withLock { most -> Int in
        most = max(most, inFlight)
        return most
      }
      return gauges
    }

    var defaultHeaders: HTTPHeaders {
      switch fault {
      case .claimsFields, .overwritesFields: ["X-Note": "default"]
      default: wrapped.defaultHeaders
      }
    }

    func addedCredentials(to request: TransportRequest) -> AddedCredentials {
      wrapped.addedCredentials(to: request)
    }

    func start(_ request: TransportRequest, handler: @escaping Handler) -> any Cancellable {
      let limit = request.responseBodyLimit
      let heldHead = Lock<TransferEvent?>(nil)
      let hasFailed = Lock(false)
      if fault == .keepsCancelledHandlers { ended.withLock { $0.append(handler) } }
      let token = wrapped.start(altered(request)) { event in
        switch (self.fault, event) {
        case (.losesHeads, .head), (.losesHeads, .body): return
        case (.reportsBodiesFirst, .head): return heldHead.withLock { $0 = event }
        case (.reportsBodiesFirst, .body):
          handler(event)
          if let head = heldHead.withLock({ $0.take() }) { handler(head) }
          return
        case (.reportsBodiesFirst, .finished):
          if let head = heldHead.withLock({ $0.take() }) { handler(head) }
        case (.exceedsLimits, .finished(let error)):
          return handler(.finished(limit.map { TransferError.responseTooLarge(limit: $0) } ?? error))
        case (.endsFailuresAsCancelled, .finished(let error)):
          return handler(.finished(error == nil ? nil : TransferError.cancelled))
        case (.reportsAfterCancels, .finished(let error)):
          if error == .cancelled { handler(.body(Data("late".utf8))) }
        case (.reportsWithTheNextRequest, .head):
          for handler in self.ended.withLock({ $0 }) { handler(.body(Data("late".utf8))) }
        case (.reportsWithTheNextRequest, .finished): self.ended.withLock { $0.append(handler) }
        case (.addsCookies, .head(let head)):
          if let cookie = head.headers["Set-Cookie"] { self.cookie.withLock { $0 = cookie } }
        case (.cutsURLs, .head(let head)):
          let url = String(head.url.prefix { $0 != "?" })
          return handler(.head(ResponseHead(statusCode: head.statusCode, url: url, headers: head.headers)))
        case (.renamesTimeouts, .finished(let error)), (.renamesLongRedirects, .finished(let error)),
          (.renamesWrongLengths, .finished(let error)), (.renamesFailedReads, .finished(let error)):
          return handler(.finished(error == nil ? nil : TransferError.unsupportedURL("")))
        case (.fillsResponsesToHead, .finished):
          if request.method == .head { handler(.body(Data("body".utf8))) }
        case (.completesFailures, .finished): return handler(.finished(nil))
        case (.forgetsTargets, .head(let head)):
          return handler(
            .head(ResponseHead(statusCode: head.statusCode, url: request.url, headers: head.headers)))
        case (.failsOnStatuses, .head(let head)), (.failsOnRefusedUpgrades, .head(let head)):
          hasFailed.withLock { $0 = head.statusCode >= 400 }
        case (.failsOnStatuses, .finished(let error)), (.failsOnRefusedUpgrades, .finished(let error)):
          let isFailure = hasFailed.withLock { $0 }
          return handler(.finished(isFailure ? TransferError.unsupportedURL("") : error))
        default: break
        }
        handler(event)
      }
      return fault == .hidesCancels || fault == .hidesTransfers ? UncancelledToken(token: token) : token
    }

    /// Returns the request as it is sent.
    private func altered(_ request: TransportRequest) -> TransportRequest {
      var request = request
      switch fault {
      case .alwaysMeasures: request.reportsMetrics = true
      case .shoutsMethods: request.method = HTTPMethod(rawValue: request.method.rawValue.uppercased())
      case .reportsProgressUnasked: request.reportsProgress = true
      case .dropsBodiesOfGET: if request.method == .get { request.body = .none }
      case .overwritesFields: request.headers.update(name: "X-Note", value: "default")
      case .exceedsLimits: request.responseBodyLimit = nil
      case .subtractsFromLimits: request.responseBodyLimit = request.responseBodyLimit.map { $0 - 1 }
      case .repeatsFields:
        if let own = request.headers["X-Note"] {
          note.withLock { $0 = own }
        } else if let earlier = note.withLock({ $0 }) {
          request.headers.update(name: "X-Note", value: earlier)
        }
      case .repeatsCredentials:
        if let own = request.credential {
          credential.withLock { $0 = own }
        } else {
          request.credential = credential.withLock { $0 }
        }
      case .addsCookies:
        if let own = request.headers["Cookie"], let added = cookie.withLock({ $0 }) {
          request.headers.update(name: "Cookie", value: "\(own); \(added)")
        }
      default: break
      }
      return request
    }
  }

  @Test("a check notices each fault", arguments: Fault.allCases)
  private func notices(fault: Fault) async {
    let checks = TransportContract.Check.all.filter { $0.name == fault.check }
    #expect(checks.count == 1, "no check is named \(fault.check)")
    // A fault that makes a check wait is noticed after this time.
    let contract = TransportContract(checks: checks, patience: .seconds(5)) {
      Faulty(fault, around: try CurlTransport())
    }
    let violations = await contract.violations()
    #expect(violations.first?.check.name == fault.check)
  }

  @Test("a transport that cannot be made fails each check, with the reason")
  func unavailable() async {
    struct Unavailable: Error {}
    let checks = TransportContract.Check.all.filter { $0.subject == .release }
    let contract = TransportContract(checks: checks) { throw Unavailable() }
    let violations = await contract.violations()
    #expect(violations.map(\.check) == checks)
    #expect(violations.allSatisfy { $0.reason == "Unavailable()" }, "\(violations)")
  }
}
