internal import CNetworkCoreCurl

/// What follows when libcurl has finished with a transfer.
///
/// A pure decision: the loop collects the facts, and acts.
package enum TransferOutcome: Equatable, Sendable {
  /// Why a request is sent again; nothing of it has been processed, or it is idempotent.
  package enum Retry: Equatable, Sendable {
    /// No connection to the alternative service could be opened, so the origin is next.
    case alternativeUnreachable
    /// Bytes had arrived over the kept connection before the request was sent.
    case unusableConnection
    /// No connection may be opened for the request now; see `OriginQueueTable.admitSocket(for:)`.
    case waits
    /// The server has left the connection without processing the request.
    case excludedByGoAway
    /// A kept connection broke before any response to an idempotent request.
    case lostConnection
  }

  /// The watchdog has ended the connection.
  case flood
  case retry(Retry)
  /// The response that rejects the request's expectation is final.
  case expectationFailed
  /// The connection ended within the head of the response.
  case truncatedHead
  /// The response is complete, as far as libcurl knows.
  case success
  /// libcurl's code is the reason.
  case failure

  /// The facts about a transfer that has ended.
  package struct Facts: Sendable {
    /// Whether the watchdog has ended its connection, and whether the whole response had arrived before.
    package var (isFlooded, hasWholeResponse) = (false, false)
    /// Whether the request was sent to an alternative service.
    package var usesAlternative = false
    /// Whether a callback has ended the transfer for a reason of its own.
    package var hasFailure = false
    /// How many times libcurl was about to send the request.
    package var attemptCount = 0
    /// Whether any part of a head has arrived, and whether the whole head has.
    package var (hasHeadBytes, hasHead) = (false, false)
    /// Whether any part of a response has arrived since the last challenge.
    package var hasResponse = false
    package var isIdempotent = false
    package var wasOnReusedConnection = false
    /// Whether the request was not allowed to use a reused connection.
    package var needsNewConnection = false
    /// Whether the kept connection was unusable.
    package var changesConnection = false
    /// Whether no connection may be opened for the request now.
    package var isDenied = false
    /// Whether a GOAWAY excludes the request, and how many did so before.
    package var (isExcludedByGoAway, goAwayCount) = (false, 0)
    package var expectationFailed = false

    package init() {}
  }

  /// Decides about a transfer.
  ///
  /// - Parameters:
  ///   - code: libcurl's `CURLcode`.
  ///   - facts: what is known about the transfer.
  package init(code: Int, _ facts: Facts) {
    if facts.isFlooded, code != CCURLE_OK || !facts.hasWholeResponse {
      self = .flood
    } else if let retry = Retry(code: code, facts) {
      self = .retry(retry)
    } else if code == CCURLE_ABORTED_BY_CALLBACK, facts.expectationFailed {
      self = .expectationFailed
    } else if !facts.hasHead, code == CCURLE_OK || code == CCURLE_PARTIAL_FILE {
      self = .truncatedHead
    } else {
      self = code == CCURLE_OK ? .success : .failure
    }
  }
}

extension TransferOutcome.Retry {
  /// Decides whether the request is sent again; `nil` if the transfer ended for a reason that no attempt
  /// changes.
  fileprivate init?(code: Int, _ facts: TransferOutcome.Facts) {
    if facts.usesAlternative, code != CCURLE_OK, !facts.hasFailure, facts.attemptCount == 0,
      !facts.hasHeadBytes
    {
      self = .alternativeUnreachable
    } else if code == CCURLE_ABORTED_BY_CALLBACK, facts.changesConnection {
      self = .unusableConnection
    } else if facts.isDenied {
      self = .waits
    } else if facts.isExcludedByGoAway, facts.goAwayCount < CurlTransport.goAwayLimit {
      self = .excludedByGoAway
    } else if facts.isIdempotent, !facts.needsNewConnection, Self.isLostConnection(code, facts) {
      self = .lostConnection
    } else {
      return nil
    }
  }

  /// Whether a reused connection broke before any response.
  private static func isLostConnection(_ code: Int, _ facts: TransferOutcome.Facts) -> Bool {
    switch code {
    case CCURLE_OK, CCURLE_GOT_NOTHING, CCURLE_SEND_ERROR, CCURLE_RECV_ERROR, CCURLE_PARTIAL_FILE,
      CCURLE_HTTP2:
      facts.wasOnReusedConnection && !facts.hasResponse
    default: false
    }
  }
}
