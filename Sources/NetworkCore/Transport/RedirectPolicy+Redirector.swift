/// `RedirectPolicy` in Alamofire's spelling.
public typealias Redirector = RedirectPolicy

extension RedirectPolicy {
  /// What is done with redirects, as Alamofire has it.
  public enum Behavior: Sendable {
    /// Sixteen are followed.
    case follow
    /// None is: the redirect is the answer.
    case doNotFollow
    /// Each is asked about; other than Alamofire's, the closure gets no task of a `URLSession`.
    case modify(Change)
  }

  /// Makes a policy.
  ///
  /// - Parameter behavior: what is done with redirects.
  public init(behavior: Behavior) {
    switch behavior {
    case .follow: self = .follow
    case .doNotFollow: self = .doNotFollow
    case .modify(let change): self = .modify(change)
    }
  }
}
