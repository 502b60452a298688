extension Response {
  /// The status code with its meaning.
  public var status: HTTPStatus { HTTPStatus(statusCode) }
}
