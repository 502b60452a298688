internal import Foundation

#if canImport(FoundationNetworking)
  internal import FoundationNetworking
#endif

/// The task that a `RedirectHandler` sees; it is never started and belongs to no session.
///
/// `@unchecked Sendable` like its superclass; the properties that it adds are constants.
final class RedirectedTask: URLSessionTask, @unchecked Sendable {
  private let original: URLRequest
  private let current: URLRequest
  private let redirect: URLResponse

  init(original: URLRequest, current: URLRequest, redirect: URLResponse) {
    self.original = original
    self.current = current
    self.redirect = redirect
    super.init()
  }

  override var originalRequest: URLRequest? { original }
  override var currentRequest: URLRequest? { current }
  override var response: URLResponse? { redirect }
  override func resume() {}
  override func suspend() {}
  override func cancel() {}
}
