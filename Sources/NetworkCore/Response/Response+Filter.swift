extension Response {
  /// The response itself where its status code is one of `statusCodes`.
  ///
  /// - Parameter statusCodes: the codes to let through.
  /// - Returns: the response.
  /// - Throws: `NetworkError.statusCode` for any other code.
  public func filter(statusCodes: some RangeExpression<Int>) throws -> Response {
    guard statusCodes.contains(statusCode) else { throw NetworkError.statusCode(self) }
    return self
  }

  /// The response itself where its status code is `statusCode`.
  ///
  /// - Parameter statusCode: the code to let through.
  /// - Returns: the response.
  /// - Throws: `NetworkError.statusCode` for any other code.
  public func filter(statusCode: Int) throws -> Response {
    try filter(statusCodes: statusCode...statusCode)
  }

  /// The response itself where its status code is 200 to 299.
  ///
  /// - Returns: the response.
  /// - Throws: `NetworkError.statusCode` for any other code.
  public func filterSuccessfulStatusCodes() throws -> Response {
    try filter(statusCodes: 200...299)
  }

  /// The response itself where its status code is 200 to 399.
  ///
  /// - Returns: the response.
  /// - Throws: `NetworkError.statusCode` for any other code.
  public func filterSuccessfulStatusAndRedirectCodes() throws -> Response {
    try filter(statusCodes: 200...399)
  }

  /// The older spelling of `filter(statusCodes:)`.
  ///
  /// - Parameter statusCodes: the codes to let through.
  /// - Returns: the response.
  /// - Throws: `NetworkError.statusCode` for any other code.
  public func filterStatusCodes(_ statusCodes: some RangeExpression<Int>) throws -> Response {
    try filter(statusCodes: statusCodes)
  }
}
