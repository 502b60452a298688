extension Response {
  /// The response itself where it is what the request asked for: a success, of a type that its `Accept` names.
  ///
  /// The status is looked at first. Any type will do where the request has no `Accept`, and an empty body has none.
  ///
  /// - Returns: the response.
  /// - Throws: `NetworkError.statusCode` for a status other than 200 to 299, `.underlying` with a `ContentTypeError`.
  public func validate() throws -> Response {
    let accept = request?.headers["Accept"] ?? "*/*"
    return try filterSuccessfulStatusCodes().filter(
      contentTypes: accept.split(separator: ",").map(String.init))
  }
}
