extension AFError: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable, SecretHidingError
{
  package var text: RedactableDescription {
    switch self {
    case .explicitlyCancelled: "explicitlyCancelled"
    case .invalidURL(let url): RedactableDescription("invalidURL", ("url", .url(url)))
    case .multipartEncodingFailed(let reason):
      RedactableDescription("multipartEncodingFailed", ("reason", .plain(reason)))
    case .parameterEncodingFailed(let reason):
      RedactableDescription("parameterEncodingFailed", ("reason", .plain(reason)))
    case .parameterEncoderFailed(let reason):
      RedactableDescription("parameterEncoderFailed", ("reason", .plain(reason)))
    case .responseValidationFailed(let reason):
      RedactableDescription("responseValidationFailed", ("reason", .plain(reason)))
    case .responseSerializationFailed(let reason):
      RedactableDescription("responseSerializationFailed", ("reason", .plain(reason)))
    case .serverTrustEvaluationFailed(let reason):
      RedactableDescription("serverTrustEvaluationFailed", ("reason", .plain(reason)))
    case .sessionTaskFailed(let error): RedactableDescription("sessionTaskFailed", ("error", .error(error)))
    }
  }
}
