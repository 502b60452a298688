import NetworkCore

/// The default rule of `retry(backoff:)`, given explicitly because the sources of many tests send no request.
let isTransient: @Sendable (any Error) -> Bool = { ($0 as? NetworkError)?.isTransient ?? false }
