public import Foundation

/// Gets the progress of a request, in order and never two at a time.
public typealias ProgressBlock = @Sendable (_ progress: ProgressResponse) -> Void

/// How far a request has come; the last one of a request that succeeds carries the response.
///
/// It tells of the request body while that is being sent, if it is larger than 64 KiB, and of the response body
/// otherwise. It never goes back, and comes at most sixty times a second: what is between is left out.
public struct ProgressResponse: Sendable {
  /// The response, `nil` until the request has completed.
  public let response: Response?
  /// The bytes sent or received so far.
  public let completedUnitCount: Int64
  /// The bytes there are in all; 0 where that is not known.
  public let totalUnitCount: Int64
  /// Why a resumable download begins anew if it is cut off now; `nil` if it can be resumed, and for other requests.
  ///
  /// Every progress of such a download has it but the last one, which carries the response.
  public let resumeObstacle: ResumeObstacle?

  /// Makes a progress.
  ///
  /// - Parameters:
  ///   - progress: how far the request has come; what it says now is kept.
  ///   - response: the response, once the request has completed.
  public init(progress: Progress? = nil, response: Response? = nil) {
    self.init(
      completed: progress?.completedUnitCount ?? 0, total: progress?.totalUnitCount ?? 0, response: response)
  }

  init(completed: Int64, total: Int64, response: Response? = nil, obstacle: ResumeObstacle? = nil) {
    self.response = response
    self.completedUnitCount = completed
    self.totalUnitCount = total
    self.resumeObstacle = obstacle
  }

  /// From 0 to 1; 0 until the request has completed where the length is not known.
  public var progress: Double {
    if completed { return 1 }
    guard totalUnitCount > 0 else { return 0 }
    return min(1, Double(completedUnitCount) / Double(totalUnitCount))
  }

  /// Whether the request has completed.
  public var completed: Bool { response != nil }

  /// The counts in Foundation's form, made anew at each call; `nil` before anything has been counted.
  public var progressObject: Progress? {
    guard completedUnitCount > 0 || totalUnitCount > 0 else { return nil }
    let progress = Progress(totalUnitCount: totalUnitCount)
    progress.completedUnitCount = completedUnitCount
    return progress
  }
}
