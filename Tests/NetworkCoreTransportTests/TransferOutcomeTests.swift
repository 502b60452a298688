import NetworkCore
import Testing

@Suite("The outcome of a transfer that libcurl has finished with")
struct TransferOutcomeTests {
  typealias Facts = TransferOutcome.Facts

  /// libcurl's codes, by their names without `CURLE_`.
  private enum Code {
    static let (ok, couldntConnect, http2, partialFile, aborted) = (0, 7, 16, 18, 42)
    static let (gotNothing, sendError, recvError, tooLarge) = (52, 55, 56, 100)
  }

  struct Row: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let code: Int
    let change: @Sendable (inout Facts) -> Void
    let outcome: TransferOutcome

    init(
      _ name: String, _ code: Int, _ outcome: TransferOutcome,
      _ change: @escaping @Sendable (inout Facts) -> Void = { _ in }
    ) {
      (testDescription, self.code, self.outcome, self.change) = (name, code, outcome, change)
    }
  }

  /// The facts of a transfer whose only request was sent over a new connection, and has a response.
  private static var complete: Facts {
    var facts = Facts()
    (facts.hasHeadBytes, facts.hasHead, facts.hasResponse, facts.attemptCount) = (true, true, true, 1)
    return facts
  }

  /// The facts of a transfer whose idempotent request was sent over a kept connection, without a response.
  private static var lost: Facts {
    var facts = Facts()
    (facts.isIdempotent, facts.wasOnReusedConnection, facts.attemptCount) = (true, true, 1)
    return facts
  }

  private static let endings: [Row] = [
    Row("complete", Code.ok, .success),
    Row("cut off", Code.partialFile, .failure),
    Row("no head", Code.ok, .truncatedHead) { $0.hasHead = false },
    Row("no head, cut off", Code.partialFile, .truncatedHead) { $0.hasHead = false },
    Row("no head, error", Code.recvError, .failure) { $0.hasHead = false },
    Row("417", Code.aborted, .expectationFailed) { $0.expectationFailed = true },
    Row("417, then an error", Code.recvError, .failure) { $0.expectationFailed = true },
    Row("aborted", Code.aborted, .failure),
    Row("flood", Code.recvError, .flood) { $0.isFlooded = true },
    Row("flood before the end of the body", Code.ok, .flood) { $0.isFlooded = true },
    Row("flood after the whole response", Code.ok, .success) {
      ($0.isFlooded, $0.hasWholeResponse) = (true, true)
    },
    Row("flood, whole response, error", Code.recvError, .flood) {
      ($0.isFlooded, $0.hasWholeResponse) = (true, true)
    },
    Row("GOAWAY after the response", Code.ok, .success) { $0.goAwayCount = 3 },
  ]

  @Test("a response is complete, cut off, or an error", arguments: endings)
  func ends(row: Row) {
    var facts = Self.complete
    row.change(&facts)
    #expect(TransferOutcome(code: row.code, facts) == row.outcome)
  }

  private static let retries: [Row] =
    [Code.ok, Code.gotNothing, Code.sendError, Code.recvError, Code.partialFile, Code.http2].map {
      Row("lost, \($0)", $0, .retry(.lostConnection))
    } + [
      Row("lost, another code", Code.tooLarge, .failure),
      Row("POST", Code.gotNothing, .failure) { $0.isIdempotent = false },
      Row("new connection", Code.gotNothing, .failure) { $0.wasOnReusedConnection = false },
      Row("lost twice", Code.gotNothing, .failure) { $0.needsNewConnection = true },
      Row("begun response", Code.gotNothing, .failure) { $0.hasResponse = true },
      Row("unusable", Code.aborted, .retry(.unusableConnection)) { $0.changesConnection = true },
      Row("unusable, POST", Code.aborted, .retry(.unusableConnection)) {
        ($0.changesConnection, $0.isIdempotent) = (true, false)
      },
      Row("unusable, other code", Code.tooLarge, .failure) { $0.changesConnection = true },
      Row("waits", Code.couldntConnect, .retry(.waits)) { ($0.isDenied, $0.isIdempotent) = (true, false) },
      Row("GOAWAY", Code.http2, .retry(.excludedByGoAway)) {
        ($0.isExcludedByGoAway, $0.isIdempotent) = (true, false)
      },
      Row("the fifth GOAWAY", Code.http2, .retry(.excludedByGoAway)) {
        ($0.isExcludedByGoAway, $0.isIdempotent, $0.goAwayCount) = (true, false, 4)
      },
      Row("the sixth GOAWAY", Code.http2, .failure) {
        ($0.isExcludedByGoAway, $0.isIdempotent, $0.goAwayCount) = (true, false, 5)
      },
      Row("GOAWAY of a flooded connection", Code.http2, .flood) {
        ($0.isExcludedByGoAway, $0.isFlooded) = (true, true)
      },
    ]

  @Test("a request is sent again if it was not processed, or if it is idempotent", arguments: retries)
  func isRetried(row: Row) {
    var facts = Self.lost
    row.change(&facts)
    #expect(TransferOutcome(code: row.code, facts) == row.outcome)
  }

  private static let alternatives: [Row] = [
    Row("unreachable", Code.couldntConnect, .retry(.alternativeUnreachable)),
    Row("unreachable origin", Code.couldntConnect, .failure) { $0.usesAlternative = false },
    Row("sent", Code.recvError, .failure) { $0.attemptCount = 1 },
    Row("begun head", Code.recvError, .failure) { $0.hasHeadBytes = true },
    Row("failed callback", Code.aborted, .failure) { $0.hasFailure = true },
  ]

  @Test("a request goes to the origin if its alternative service is unreachable", arguments: alternatives)
  func fallsBack(row: Row) {
    var facts = Facts()
    facts.usesAlternative = true
    row.change(&facts)
    #expect(TransferOutcome(code: row.code, facts) == row.outcome)
  }
}
