import struct Foundation.Data
import Locking

/// The body of an answer on its way from the transport's thread to whoever takes it.
///
/// What fills it to the mark has the transfer wait, and the sender with it, until half of that has been taken. A transfer
/// that cannot be paused fills it further. It may be filled and emptied on any threads.
final class BodyBuffer: Sendable {
  /// What is taken, in this order: a response, any number of chunks, and an end that is given again from then on.
  enum Piece: Sendable {
    case response(Response)
    case chunk(Data)
    case end(Result<Response, NetworkError>)
  }

  /// The bytes at which the sender has to wait.
  static let mark = 256 << 10

  private struct State {
    var response: Response?
    /// Whether somebody has taken the response.
    var isResponseTaken = false
    var chunks = ChunkQueue()
    var end: Result<Response, NetworkError>?
    var brake = TransferBrake()
    /// Calls for those who found nothing to take.
    var waiting: [@Sendable () -> Void] = []
    /// Calls for those who want to know the head, or that there is none.
    var curious: [@Sendable () -> Void] = []

    /// Who is to be called now.
    mutating func takeWaiting(andCurious: Bool = false) -> [@Sendable () -> Void] {
      defer {
        waiting = []
        if andCurious { curious = [] }
      }
      return andCurious ? waiting + curious : waiting
    }
  }

  private let state = Lock(State())

  /// A transfer is about to begin that fills the buffer from now on; returns its number.
  func nextTransfer() -> Int { state.withLock { $0.brake.nextTransfer() } }

  /// Takes the transfer with a number, unless that is not the last one any more.
  func attach(_ token: any Cancellable, number: Int) {
    let spent = state.withLock { $0.end == nil ? $0.brake.hold(token, number: number) : nil }
    withExtendedLifetime(spent) {}
    regulate()
  }

  /// Whether there has been a response: from then on the request cannot be made anew unnoticed.
  var hasOpened: Bool { state.withLock { $0.response != nil } }

  /// The response, or why there is none; `.cancelled` also where nobody knows yet.
  var opening: Result<Response, NetworkError> {
    state.withLock { $0.response.map { .success($0) } ?? $0.end ?? .failure(.cancelled) }
  }

  /// A body begins.
  func open(_ response: Response) {
    let wakeUps = state.withLock { state in
      guard state.end == nil else { return [@Sendable () -> Void]() }
      state.response = response
      return state.takeWaiting(andCurious: true)
    }
    for wakeUp in wakeUps { wakeUp() }
  }

  /// The next piece of the body; dropped once there is an end.
  func append(_ chunk: Data) {
    let (wakeUps, isFull) = state.withLock { state in
      guard state.end == nil else { return ([@Sendable () -> Void](), false) }
      state.chunks.append(chunk)
      if state.chunks.count >= Self.mark { state.brake.mustPause = true }
      return (state.takeWaiting(), state.brake.mustPause)
    }
    if isFull { regulate() }
    for wakeUp in wakeUps { wakeUp() }
  }

  /// Nothing more will come: the first end counts, and after a cancel nothing that has come before is taken either.
  func close(_ end: Result<Response, NetworkError>) {
    let (wakeUps, spent) = state.withLock { state in
      guard state.end == nil else { return ([@Sendable () -> Void](), nil as (any Transfer)?) }
      state.end = end
      if case .failure(let error) = end, error.isCancelled {
        state.isResponseTaken = true
        state.chunks = ChunkQueue()
      }
      return (state.takeWaiting(andCurious: true), state.brake.release())
    }
    withExtendedLifetime(spent) {}
    for wakeUp in wakeUps { wakeUp() }
  }

  /// Takes a piece; where there is none, returns `nil` and calls `wakeUp` once when there may be one.
  func next(orWhenReady wakeUp: @escaping @Sendable () -> Void) -> Piece? {
    let (piece, mustResume) = state.withLock { state in
      if !state.isResponseTaken, let response = state.response {
        state.isResponseTaken = true
        return (Piece.response(response), false) as (Piece?, Bool)
      }
      if let chunk = state.chunks.removeFirst() {
        let mustResume = state.brake.mustPause && state.chunks.count <= Self.mark / 2
        if mustResume { state.brake.mustPause = false }
        return (.chunk(chunk), mustResume)
      }
      if let end = state.end { return (.end(end), false) }
      state.waiting.append(wakeUp)
      return (nil, false)
    }
    if mustResume { regulate() }
    return piece
  }

  /// Calls `wakeUp` once there has been a response or an end; at once where there has been one already.
  func whenOpened(_ wakeUp: @escaping @Sendable () -> Void) {
    let isDecided = state.withLock { state in
      let isDecided = state.response != nil || state.end != nil
      if !isDecided { state.curious.append(wakeUp) }
      return isDecided
    }
    if isDecided { wakeUp() }
  }

  private func regulate() {
    var action = state.withLock { $0.brake.begin() }
    while let next = action {
      next()
      action = state.withLock { $0.brake.done() }
    }
  }
}
