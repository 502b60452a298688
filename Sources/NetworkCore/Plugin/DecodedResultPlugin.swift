/// A plugin that inspects the decoded values of responses, and the typed errors if decoding fails.
///
/// The decoding calls of a provider notify it: `value(for:as:)`,
/// `performRequest(on:decodeBodyTo:completion:)` and their variants, and `rx.value(_:as:using:)`. They call
/// it after every `process` and before the caller gets the result.
public protocol DecodedResultPlugin: PluginType {
  /// Called when a response has been decoded, or the request has failed.
  ///
  /// - Parameters:
  ///   - result: the value, or the error: a `NetworkError` or an `APIError` with the target's type.
  ///   - target: the requested target.
  func didDecode<Value, Failure: Error>(_ result: Result<Value, Failure>, target: any TargetType)
}

/// A provider that notifies its plugins of results that other layers have decoded.
package protocol DecodedResultReporting: Sendable {
  /// Notifies every `DecodedResultPlugin`.
  func report<Value, Failure: Error>(decoded result: Result<Value, Failure>, target: any TargetType)
}

extension NetworkProvider: DecodedResultReporting {
  package func report<Value, Failure: Error>(decoded result: Result<Value, Failure>, target: any TargetType) {
    pipeline.decoded(result, target: target)
  }
}

extension RequestPipeline {
  /// Notifies every `DecodedResultPlugin`.
  func decoded<Value, Failure: Error>(_ result: Result<Value, Failure>, target: any TargetType) {
    let inner = MultiTarget.unwrapped(target)
    for case let plugin as any DecodedResultPlugin in plugins { plugin.didDecode(result, target: inner) }
  }
}
