extension Response {
  /// Returns the response if its status code is in `statusCodes`.
  ///
  /// - Parameter statusCodes: the accepted codes.
  /// - Returns: the response.
  /// - Throws: `NetworkError.statusCode` for any other code.
  public func filter(statusCodes: some RangeExpression<Int>) throws -> Response {
    guard statusCodes.contains(statusCode) else { throw NetworkError.statusCode(self) }
    return self
  }

  /// Returns the response if its status code is `statusCode`.
  ///
  /// - Parameter statusCode: the accepted code.
  /// - Returns: the response.
  /// - Throws: `NetworkError.statusCode` for any other code.
  public func filter(statusCode: Int) throws -> Response {
    try filter(statusCodes: statusCode...statusCode)
  }

  /// Returns the response if its status code is 200 to 299.
  ///
  /// - Returns: the response.
  /// - Throws: `NetworkError.statusCode` for any other code.
  public func filterSuccessfulStatusCodes() throws -> Response {
    try filter(statusCodes: 200...299)
  }

  /// Returns the response if its status code is 200 to 399.
  ///
  /// - Returns: the response.
  /// - Throws: `NetworkError.statusCode` for any other code.
  public func filterSuccessfulStatusAndRedirectCodes() throws -> Response {
    try filter(statusCodes: 200...399)
  }

  /// Returns the response if its status code is in `statusCodes`; an older name of `filter(statusCodes:)`.
  ///
  /// - Parameter statusCodes: the accepted codes.
  /// - Returns: the response.
  /// - Throws: `NetworkError.statusCode` for any other code.
  public func filterStatusCodes(_ statusCodes: some RangeExpression<Int>) throws -> Response {
    try filter(statusCodes: statusCodes)
  }
}
