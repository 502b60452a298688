public import RxLite

/// How long to wait before the next attempt, and how many attempts to make.
///
/// The policy is RxLite's, where `retry(_:scheduler:shouldRetry:)` follows it too. The name stands here for files that import this
/// module alone.
public typealias Backoff = RxLite.Backoff
