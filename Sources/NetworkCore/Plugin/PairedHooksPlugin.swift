/// A plugin whose every `didReceive` must follow a `willSend`, because it counts or reports sent requests.
///
/// The provider does not call its `didReceive` for a request that was cancelled before it was sent.
protocol PairedHooksPlugin: PluginType {}

extension NetworkActivityPlugin: PairedHooksPlugin {}
extension ProgressIndicatorPlugin: PairedHooksPlugin {}
extension MetricsPlugin: PairedHooksPlugin {}
