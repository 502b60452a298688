public import RxLite

/// The wait before each further attempt, and the number of attempts.
///
/// It is RxLite's type, which `retry(_:scheduler:shouldRetry:)` takes too. This alias is for files that
/// import only this module.
public typealias Backoff = RxLite.Backoff
