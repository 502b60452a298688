/// A plugin whose every `didReceive` must follow a `willSend`, because it counts requests or reports what was sent.
///
/// The provider does not call its `didReceive` for a request that was cancelled before it was sent.
protocol BalancedPlugin: PluginType {}

extension NetworkActivityPlugin: BalancedPlugin {}
extension ProgressIndicatorPlugin: BalancedPlugin {}
extension MetricsPlugin: BalancedPlugin {}
