/// A plugin that looks at what answers are decoded to, and at the typed error where they are not.
///
/// It is told by the calls of a provider that decode: `value(for:as:)`, `performRequest(on:decodeBodyTo:completion:)` and
/// their kin, and by `rx.value(_:as:using:)`. It comes after every `process` and before the caller gets the result.
public protocol DecodedResultPlugin: PluginType {
  /// Called when an answer has been decoded, or the request has failed.
  ///
  /// - Parameters:
  ///   - result: the value, or why there is none: a `NetworkError` or an `APIError` with the target's type.
  ///   - target: what was asked for.
  func didDecode<Value, Failure: Error>(_ result: Result<Value, Failure>, target: any TargetType)
}

/// A provider that tells its plugins what other layers have made of an answer.
package protocol DecodedResultReporting {
  /// Tells the plugins that want to know.
  func report<Value, Failure: Error>(decoded result: Result<Value, Failure>, target: any TargetType)
}

extension NetworkProvider: DecodedResultReporting {
  package func report<Value, Failure: Error>(decoded result: Result<Value, Failure>, target: any TargetType) {
    pipeline.decoded(result, target: target)
  }
}

extension RequestPipeline {
  /// Tells the plugins that want to know.
  func decoded<Value, Failure: Error>(_ result: Result<Value, Failure>, target: any TargetType) {
    let inner = (target as? MultiTarget)?.target ?? target
    for case let plugin as any DecodedResultPlugin in plugins { plugin.didDecode(result, target: inner) }
  }
}
