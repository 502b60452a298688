public import RxLite

/// The wait before each further attempt, and the number of attempts.
///
/// It is RxLite's type, which `retry(_:scheduler:shouldRetry:)` takes too; this alias makes it a name of this
/// module, as in `ReactiveNetwork.Backoff`.
public typealias Backoff = RxLite.Backoff
