import Dispatch
import Foundation
import NetworkCore
import ReactiveNetworkLock
import Testing
import TransportTesting

@Suite("The contract of transports, broken", .timeLimit(.minutes(5)))
struct BrokenContractTests {
  /// A promise that a transport breaks, and one of the checks that notice it.
  private enum Fault: String, CaseIterable {
    case endsTwice, losesTheEnd, speaksAfterTheEnd, repeatsTheHead, losesAPiece, reordersPieces, overlaps
    case deliversInStart, waitsInStart, ignoresTheLimit, hidesItsCredential, ignoresPauses, swallowsCancels,
      keepsItsHandlers, forgetsUpgrades, losesBytesAfterUpgrades, ignoresEndsOfUpgrades,
      reportsLessProgress, sendsEmptyPieces, repeatsTheMetrics, sendsRefusedRequests,
      swallowsCancelsOfUpgrades

    var notice: (subject: TransportContract.Check.Subject, check: String) {
      switch self {
      case .endsTwice, .losesTheEnd, .speaksAfterTheEnd, .repeatsTheHead:
        (.responses, "a response is a head, its body and one end")
      case .losesAPiece, .reordersPieces: (.responses, "a chunked body arrives complete")
      case .overlaps: (.threads, "a slow handler gets one event at a time")
      case .deliversInStart: (.threads, "the handler is not called within start")
      case .waitsInStart: (.threads, "start returns while the server prepares the response")
      case .ignoresTheLimit: (.limits, "a chunked body longer than the limit ends with .responseTooLarge")
      case .hidesItsCredential: (.credentials, "the transport states the credential that it adds")
      case .ignoresPauses: (.pausing, "a pause in the handler of a piece holds the next one back")
      case .swallowsCancels: (.cancellation, "the server sees the cancel while it prepares the response")
      case .keepsItsHandlers: (.release, "the handler is released after the end")
      case .forgetsUpgrades:
        (.upgrades, "after a 101, bytes go both ways, until the server ends the connection")
      case .losesBytesAfterUpgrades: (.upgrades, "bytes that the server sends with the 101 are delivered")
      case .ignoresEndsOfUpgrades:
        (
          .upgrades,
          "an upgraded connection that the server breaks ends the transfer, and carries no other"
        )
      case .swallowsCancelsOfUpgrades: (.upgrades, "the server sees the cancel of an upgraded connection")
      case .reportsLessProgress: (.requests, "the progress of a body rises to its length, on request")
      case .sendsEmptyPieces: (.responses, "a response is a head, its body and one end")
      case .repeatsTheMetrics: (.responses, "metrics are reported only on request")
      case .sendsRefusedRequests: (.refusals, "a line break in a value is refused, and nothing is sent")
      }
    }
  }

  private final class Faulty: TransportLayer {
    /// A transfer that says that it pauses and cancels.
    private final class IdleToken: Transfer {
      private let handler: Lock<(@Sendable (TransferEvent) -> Void)?>
      init(_ handler: (@Sendable (TransferEvent) -> Void)?) { self.handler = Lock(handler) }
      var isCancelled: Bool { handler.withLock { $0 == nil } }
      func cancel() { handler.withLock { $0.take() }?(.finished(.cancelled)) }
      func pause() {}
      func resume() {}
    }

    let wrapped: any Transport
    private let fault: Fault
    private let kept = Lock([@Sendable (TransferEvent) -> Void]())

    init(_ fault: Fault, around wrapped: any Transport) {
      self.fault = fault
      self.wrapped = wrapped
    }

    func addedCredentials(to request: TransportRequest) -> AddedCredentials {
      fault == .hidesItsCredential ? [] : wrapped.addedCredentials(to: request)
    }

    func start(
      _ request: TransportRequest, handler: @escaping @Sendable (TransferEvent) -> Void
    ) -> any Cancellable {
      var request = request
      let held = Lock<Data?>(nil)
      switch fault {
      case .ignoresTheLimit: request.responseBodyLimit = nil
      case .hidesItsCredential: request.headers.update(name: "Authorization", value: "Bearer t")
      case .keepsItsHandlers: kept.withLock { $0.append(handler) }
      case .forgetsUpgrades: request.upgradesConnection = false
      case .deliversInStart where URL(string: request.url)?.host == nil:
        handler(.finished(.unsupportedURL(request.url)))
        return IdleToken(nil)
      case .waitsInStart:
        let hasEnded = DispatchSemaphore(value: 0)
        let token = wrapped.start(request) { event in
          handler(event)
          if case .finished = event { hasEnded.signal() }
        }
        hasEnded.wait()
        return token
      case .sendsRefusedRequests where request.headers["X-Note"] != nil:
        request.headers.remove(name: "X-Note")
        return wrapped.start(request) { event in
          guard case .finished = event else { return }
          handler(.finished(.invalidField(name: "X-Note", value: "")))
        }
      case .swallowsCancels, .swallowsCancelsOfUpgrades:
        let once = Lock<(@Sendable (TransferEvent) -> Void)?>(handler)
        let token = IdleToken { event in once.withLock { $0.take() }?(event) }
        _ = wrapped.start(request) { event in
          if case .finished = event {
            once.withLock { $0.take() }?(event)
          } else {
            once.withLock { $0 }?(event)
          }
        }
        return token
      default: break
      }
      let fault = fault
      let isUpgrade = request.upgradesConnection
      let token = wrapped.start(request) { event in
        switch (fault, event) {
        case (.losesBytesAfterUpgrades, .body) where isUpgrade: return
        case (.ignoresEndsOfUpgrades, .finished) where isUpgrade: return
        case (.losesTheEnd, .finished): return
        case (.losesAPiece, .body): return
        case (.overlaps, _):
          // A thread of its own, because other tests may use all threads of Dispatch.
          return Thread.detachNewThread { handler(event) }
        case (.reordersPieces, .body(let piece)):
          guard
            let earlier = held.withLock({ held -> Data? in
              defer { held = held == nil ? piece : nil }
              return held
            })
          else { return }
          handler(.body(piece))
          return handler(.body(earlier))
        case (.reordersPieces, .finished):
          if let earlier = held.withLock({ $0.take() }) { handler(.body(earlier)) }
        default: break
        }
        handler(event)
        switch (fault, event) {
        case (.endsTwice, .finished), (.repeatsTheHead, .head), (.repeatsTheMetrics, .metrics): handler(event)
        case (.reportsLessProgress, .sent(_, of: let length)):
          handler(.sent(0, of: length))
          handler(event)
        case (.sendsEmptyPieces, .body): handler(.body(Data()))
        case (.speaksAfterTheEnd, .finished): handler(.body(Data("late".utf8)))
        default: break
        }
      }
      return fault == .ignoresPauses ? UnpausedTransfer(token) : token
    }
  }

  private final class UnpausedTransfer: Transfer {
    private let token: any Cancellable
    init(_ token: any Cancellable) { self.token = token }
    var isCancelled: Bool { token.isCancelled }
    func cancel() { token.cancel() }
    func pause() {}
    func resume() {}
  }

  /// Responds to all requests within `start`, except to `/a?b=c` of a server.
  private struct SilentTransport: Transport {
    func start(
      _ request: TransportRequest, handler: @escaping @Sendable (TransferEvent) -> Void
    ) -> any Cancellable {
      if !request.url.hasSuffix("/a?b=c") {
        handler(.head(ResponseHead(statusCode: 200, url: request.url, headers: [:])))
        handler(.finished(nil))
      }
      return CancellableToken {}
    }
  }

  @Test("violations are in the order of the checks, not of their ends")
  func order() async {
    // The first check waits for an end, and the second one does not.
    let names = [
      "a response is a head, its body and one end", "a relative URL is refused, and nothing is sent",
    ]
    let checks = names.compactMap { name in TransportContract.Check.all.first { $0.name == name } }
    let contract = TransportContract(checks: checks, patience: .seconds(1)) { SilentTransport() }
    let found = await contract.violations().map(\.check.name)
    #expect(found.first == names[0])
    #expect(found.last == names[1])
  }

  @Test("each check has a name of its own, and each part of the contract has checks")
  func names() {
    let checks = TransportContract.Check.all
    #expect(Set(checks).count == checks.count)
    #expect(Set(checks.map(\.subject)) == Set(TransportContract.Check.Subject.allCases))
  }

  @Test("a transport that waits in start keeps no check from ending")
  func waits() async {
    let checks = TransportContract.Check.all.filter { $0.subject == .release }
    let contract = TransportContract(checks: checks, patience: .seconds(1)) {
      Faulty(.waitsInStart, around: try CurlTransport())
    }
    #expect(await !contract.violations().isEmpty)
  }

  @Test("a check notices each broken promise", arguments: Fault.allCases)
  private func notices(fault: Fault) async {
    let notice = fault.notice
    let checks = TransportContract.Check.all.filter {
      $0.subject == notice.subject && $0.name == notice.check
    }
    #expect(checks.count == 1, "no check is named \(notice.check)")
    // A fault that makes a check wait is noticed after this time.
    let contract = TransportContract(checks: checks, patience: .seconds(2)) {
      Faulty(fault, around: try CurlTransport())
    }
    let violations = await contract.violations()
    #expect(violations.first?.check.name == notice.check)
  }
}
