/// Stands in for Alamofire's module name, so that `Alamofire.Session`, `Alamofire.Request` and similar names
/// compile.
public enum Alamofire {
  /// See `Session`.
  public typealias Session = NetworkCore.Session
  /// See `Request`.
  public typealias Request = NetworkCore.Request
  /// See `RequestInterceptor`.
  public typealias RequestInterceptor = NetworkCore.RequestInterceptor
  /// See `RequestAdapter`.
  public typealias RequestAdapter = NetworkCore.RequestAdapter
  /// See `RequestRetrier`.
  public typealias RequestRetrier = NetworkCore.RequestRetrier
  /// See `RequestAdapterState`.
  public typealias RequestAdapterState = NetworkCore.RequestAdapterState
  /// See `RetryResult`.
  public typealias RetryResult = NetworkCore.RetryResult
  /// See `RetryPolicy`.
  public typealias RetryPolicy = NetworkCore.RetryPolicy
  /// See `ConnectionLostRetryPolicy`.
  public typealias ConnectionLostRetryPolicy = MoyaCompatibility.ConnectionLostRetryPolicy
  /// See `Interceptor`.
  public typealias Interceptor = MoyaCompatibility.Interceptor
  /// See `Adapter`.
  public typealias Adapter = MoyaCompatibility.Adapter
  /// See `Retrier`.
  public typealias Retrier = MoyaCompatibility.Retrier
  /// See `AuthenticationInterceptor`.
  public typealias AuthenticationInterceptor<AuthenticatorType: Authenticator> =
    NetworkCore.AuthenticationInterceptor<AuthenticatorType>
  /// See `Authenticator`.
  public typealias Authenticator = NetworkCore.Authenticator
  /// See `AuthenticationCredential`.
  public typealias AuthenticationCredential = NetworkCore.AuthenticationCredential
  /// See `AuthenticationError`.
  public typealias AuthenticationError = NetworkCore.AuthenticationError
  /// See `HTTPMethod`.
  public typealias HTTPMethod = NetworkCore.HTTPMethod
  /// See `HTTPHeader`.
  public typealias HTTPHeader = NetworkCore.HTTPHeader
  /// See `HTTPHeaders`.
  public typealias HTTPHeaders = NetworkCore.HTTPHeaders
  /// See `Parameters`.
  public typealias Parameters = NetworkCore.Parameters
  /// See `ParameterEncoding`.
  public typealias ParameterEncoding = NetworkCore.ParameterEncoding
  /// See `ParameterEncoder`.
  public typealias ParameterEncoder = NetworkCore.ParameterEncoder
  /// See `URLEncoding`.
  public typealias URLEncoding = NetworkCore.URLEncoding
  /// See `JSONEncoding`.
  public typealias JSONEncoding = NetworkCore.JSONEncoding
  /// See `JSONParameterEncoder`.
  public typealias JSONParameterEncoder = NetworkCore.JSONParameterEncoder
  /// See `URLEncodedFormEncoder`.
  public typealias URLEncodedFormEncoder = NetworkCore.URLEncodedFormEncoder
  /// See `URLEncodedFormParameterEncoder`.
  public typealias URLEncodedFormParameterEncoder = NetworkCore.URLEncodedFormParameterEncoder
  /// See `URLRequestConvertible`.
  public typealias URLRequestConvertible = NetworkCore.URLRequestConvertible
  /// See `DownloadRequest`.
  public typealias DownloadRequest = MoyaCompatibility.DownloadRequest
  /// See `RedirectHandler`.
  public typealias RedirectHandler = NetworkCore.RedirectHandler
  /// See `Redirector`.
  public typealias Redirector = NetworkCore.Redirector
  /// See `ServerTrustManager`.
  public typealias ServerTrustManager = NetworkCore.ServerTrustManager
  /// See `ServerTrustEvaluating`.
  public typealias ServerTrustEvaluating = NetworkCore.ServerTrustEvaluating
  /// See `DefaultTrustEvaluator`.
  public typealias DefaultTrustEvaluator = NetworkCore.DefaultTrustEvaluator
  /// See `PinnedCertificatesTrustEvaluator`.
  public typealias PinnedCertificatesTrustEvaluator = NetworkCore.PinnedCertificatesTrustEvaluator
  /// See `PublicKeysTrustEvaluator`.
  public typealias PublicKeysTrustEvaluator = NetworkCore.PublicKeysTrustEvaluator
  /// See `DisabledTrustEvaluator`.
  public typealias DisabledTrustEvaluator = NetworkCore.DisabledTrustEvaluator
  /// See `RevocationTrustEvaluator`.
  public typealias RevocationTrustEvaluator = NetworkCore.RevocationTrustEvaluator
  /// See `CompositeTrustEvaluator`.
  public typealias CompositeTrustEvaluator = NetworkCore.CompositeTrustEvaluator
  /// See `RequestMultipartFormData`.
  public typealias MultipartFormData = RequestMultipartFormData
  /// See `ServerTrustManager`.
  public typealias ServerTrustPolicyManager = NetworkCore.ServerTrustManager
  /// See `AFError`.
  public typealias AFError = MoyaCompatibility.AFError
  /// See `EventMonitor`.
  public typealias EventMonitor = MoyaCompatibility.EventMonitor
  /// See `CachedResponseHandler`.
  public typealias CachedResponseHandler = MoyaCompatibility.CachedResponseHandler
  /// See `ResponseCacher`.
  public typealias ResponseCacher = MoyaCompatibility.ResponseCacher
}
