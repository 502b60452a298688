extension Array {
  init<Failure: Error>(_ stream: AsyncThrowingStream<Element, Failure>) async throws {
    self = []
    for try await element in stream { append(element) }
  }
}
