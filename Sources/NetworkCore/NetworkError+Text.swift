extension NetworkError: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable,
  SecretHidingError
{
  package var text: SafeText {
    switch self {
    case .imageMapping(let value):
      SafeText("imageMapping", (nil, .plain(value)))
    case .jsonMapping(let value):
      SafeText("jsonMapping", (nil, .plain(value)))
    case .stringMapping(let value):
      SafeText("stringMapping", (nil, .plain(value)))
    case .objectMapping(let error, let value):
      SafeText("objectMapping", (nil, .error(error)), (nil, .plain(value)))
    case .encodableMapping(let error):
      SafeText("encodableMapping", (nil, .error(error)))
    case .statusCode(let value):
      SafeText("statusCode", (nil, .plain(value)))
    case .underlying(let error, let value):
      SafeText("underlying", (nil, .error(error)), (nil, .plain(value as Any)))
    case .requestMapping(let url):
      SafeText("requestMapping", (nil, .url(url)))
    case .parameterEncoding(let error):
      SafeText("parameterEncoding", (nil, .error(error)))
    }
  }
}
