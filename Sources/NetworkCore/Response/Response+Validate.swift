extension Response {
  /// Returns the response if it is a success and its media type matches the `Accept` field of the request.
  ///
  /// The status is checked first. If the request has no `Accept`, every type matches. An empty body needs no
  /// type.
  ///
  /// - Returns: the response.
  /// - Throws: `NetworkError.statusCode` for a status other than 200 to 299; `.underlying` with a
  ///   `ContentTypeError` for another media type.
  public func validate() throws -> Response {
    let accept = request?.headers["Accept"] ?? "*/*"
    return try filterSuccessfulStatusCodes().filter(
      contentTypes: accept.split(separator: ",").map(String.init))
  }
}
