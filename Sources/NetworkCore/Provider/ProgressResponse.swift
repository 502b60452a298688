public import Foundation

/// Called with the progress of a request, in order, one call at a time.
public typealias ProgressBlock = @Sendable (_ progress: ProgressResponse) -> Void

/// The progress of a request; the last progress of a successful request has the response.
///
/// It counts the bytes of the request body if that has at least 64 KiB or is the content of an upload task,
/// and otherwise the bytes of the response body. For a download, it counts the bytes of the file. It never
/// decreases. It is delivered at most sixty times a second; intermediate progress is skipped.
public struct ProgressResponse: Sendable {
  /// The response; `nil` until the request has completed.
  public let response: Response?
  /// The number of bytes sent or received so far.
  public let completedUnitCount: Int64
  /// The total number of bytes; 0 if unknown.
  public let totalUnitCount: Int64
  /// The reason why a resumable download would start again if it were interrupted now; `nil` if it can be
  /// resumed, and for other requests.
  ///
  /// Every progress of such a download has this value, except the last one, which has the response.
  public let resumeObstacle: ResumeObstacle?

  /// Creates a progress value.
  ///
  /// - Parameters:
  ///   - progress: the counts, which are copied.
  ///   - response: the response, if the request has completed.
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

  /// The fraction from 0 to 1; 0 until the request has completed if the length is unknown.
  public var progress: Double {
    if completed { return 1 }
    guard totalUnitCount > 0 else { return 0 }
    return min(1, Double(completedUnitCount) / Double(totalUnitCount))
  }

  /// Whether the request has completed.
  public var completed: Bool { response != nil }

  /// The counts as a new Foundation object for each call; `nil` before anything has been counted.
  public var progressObject: Progress? {
    guard completedUnitCount > 0 || totalUnitCount > 0 else { return nil }
    let progress = Progress(totalUnitCount: totalUnitCount)
    progress.completedUnitCount = completedUnitCount
    return progress
  }
}
