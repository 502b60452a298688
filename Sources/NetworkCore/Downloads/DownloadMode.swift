import Foundation

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// The way in which the body of a response is written to a file.
enum DownloadMode: Sendable {
  /// The body goes to a temporary file, which is then moved to the URL that the closure returns.
  case toDestination(DownloadDestination)
  /// The body goes to a partial file next to the destination. An existing partial file is resumed.
  case resumable(FilePlacement)

  init?(_ task: HTTPTask) {
    if let placement = task.resumablePlacement {
      self = .resumable(placement)
      return
    }
    switch task {
    case .downloadDestination(let destination), .downloadParameters(_, _, let destination):
      self = .toDestination(destination)
    default: return nil
    }
  }
}
