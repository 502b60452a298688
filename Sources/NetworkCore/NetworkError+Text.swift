extension NetworkError: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable,
  SecretHidingError
{
  package var text: RedactableDescription {
    switch self {
    case .imageMapping(let value):
      RedactableDescription("imageMapping", (nil, .plain(value)))
    case .jsonMapping(let value):
      RedactableDescription("jsonMapping", (nil, .plain(value)))
    case .stringMapping(let value):
      RedactableDescription("stringMapping", (nil, .plain(value)))
    case .objectMapping(let error, let value):
      RedactableDescription("objectMapping", (nil, .error(error)), (nil, .plain(value)))
    case .encodableMapping(let error):
      RedactableDescription("encodableMapping", (nil, .error(error)))
    case .statusCode(let value):
      RedactableDescription("statusCode", (nil, .plain(value)))
    case .underlying(let error, let value):
      RedactableDescription("underlying", (nil, .error(error)), (nil, .plain(value as Any)))
    case .requestMapping(let url):
      RedactableDescription("requestMapping", (nil, .url(url)))
    case .parameterEncoding(let error):
      RedactableDescription("parameterEncoding", (nil, .error(error)))
    }
  }
}
