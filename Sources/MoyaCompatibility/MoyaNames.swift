/// `NetworkProvider` in Moya's spelling.
public typealias MoyaProvider = NetworkProvider
/// `NetworkProviderType` in Moya's spelling.
public typealias MoyaProviderType = NetworkProviderType
/// `NetworkError` in Moya's spelling.
public typealias MoyaError = NetworkError

/// `HTTPMethod` in Moya's spelling.
public typealias Method = HTTPMethod

/// `HTTPTask` in Moya's spelling; in files that import this module, Swift's own is `_Concurrency.Task`.
///
/// ```swift
/// import MoyaCompatibility
///
/// extension GitHub: TargetType {
///   var task: Task { .requestPlain }
/// }
/// ```
public typealias Task = HTTPTask

/// Stands in for Moya's module name, so that `Moya.Method`, `Moya.Response` and similar names compile.
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
  /// See `DownloadDestination`.
  public typealias DownloadDestination = NetworkCore.DownloadDestination
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
  /// See `AccessTokenAuthorizable`.
  public typealias AccessTokenAuthorizable = NetworkCore.AccessTokenAuthorizable
  /// See `AuthorizationType`.
  public typealias AuthorizationType = NetworkCore.AuthorizationType
  /// See `CancellableToken`.
  public typealias CancellableToken = NetworkCore.CancellableToken
  /// See `HTTPMethod`.
  public typealias HTTPMethod = NetworkCore.HTTPMethod
  /// See `RequestInterceptor`.
  public typealias RequestInterceptor = NetworkCore.RequestInterceptor
  /// See `Session`.
  public typealias Session = NetworkCore.Session
  /// See `MultiTarget`.
  public typealias MultiTarget = NetworkCore.MultiTarget
  /// See `MultipartFormBodyPart`.
  public typealias MultipartFormBodyPart = NetworkCore.MultipartFormBodyPart
  /// See `MultipartFormData`.
  public typealias MultipartFormData = NetworkCore.MultipartFormData
  /// See `RequestMultipartFormData`.
  public typealias RequestMultipartFormData = MoyaCompatibility.RequestMultipartFormData
  /// See `NetworkActivityChangeType`.
  public typealias NetworkActivityChangeType = NetworkCore.NetworkActivityChangeType
  /// See `Request`.
  public typealias Request = NetworkCore.Request
  /// See `NetworkProviderType`.
  public typealias MoyaProviderType = NetworkProviderType
}
