/// `NetworkProvider` in Moya's spelling.
public typealias MoyaProvider = NetworkProvider
/// `NetworkProviderType` in Moya's spelling.
public typealias MoyaProviderType = NetworkProviderType
/// `NetworkError` in Moya's spelling.
public typealias MoyaError = NetworkError

/// Stands in for Moya's module name, so that `Moya.Method`, `Moya.Response` and the like compile.
public enum Moya {
  /// See `HTTPMethod`.
  public typealias Method = HTTPMethod
  /// See `HTTPTask`.
  public typealias Task = HTTPTask
  /// See `Response`.
  public typealias Response = NetworkCore.Response
  /// See `Endpoint`.
  public typealias Endpoint = NetworkCore.Endpoint
  /// See `EndpointSampleResponse`.
  public typealias EndpointSampleResponse = NetworkCore.EndpointSampleResponse
  /// See `TargetType`.
  public typealias TargetType = NetworkCore.TargetType
  /// See `ValidationType`.
  public typealias ValidationType = NetworkCore.ValidationType
  /// See `StubBehavior`.
  public typealias StubBehavior = NetworkCore.StubBehavior
  /// See `PluginType`.
  public typealias PluginType = NetworkCore.PluginType
  /// See `RequestType`.
  public typealias RequestType = NetworkCore.RequestType
  /// See `Cancellable`.
  public typealias Cancellable = NetworkCore.Cancellable
  /// See `ProgressResponse`.
  public typealias ProgressResponse = NetworkCore.ProgressResponse
  /// See `ProgressBlock`.
  public typealias ProgressBlock = NetworkCore.ProgressBlock
  /// See `Completion`.
  public typealias Completion = NetworkCore.Completion
  /// See `ParameterEncoding`.
  public typealias ParameterEncoding = NetworkCore.ParameterEncoding
  /// See `URLEncoding`.
  public typealias URLEncoding = NetworkCore.URLEncoding
  /// See `JSONEncoding`.
  public typealias JSONEncoding = NetworkCore.JSONEncoding
  /// See `AccessTokenPlugin`.
  public typealias AccessTokenPlugin = NetworkCore.AccessTokenPlugin
  /// See `CredentialsPlugin`.
  public typealias CredentialsPlugin = NetworkCore.CredentialsPlugin
  /// See `NetworkActivityPlugin`.
  public typealias NetworkActivityPlugin = NetworkCore.NetworkActivityPlugin
  /// See `NetworkLoggerPlugin`.
  public typealias NetworkLoggerPlugin = NetworkCore.NetworkLoggerPlugin
  /// See `NetworkProvider`.
  public typealias MoyaProvider = NetworkProvider
  /// See `NetworkError`.
  public typealias MoyaError = NetworkError
}
