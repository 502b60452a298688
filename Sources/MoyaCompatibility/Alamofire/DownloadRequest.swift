public import Foundation

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// A namespace with the name of Alamofire's type, so that code that names destinations compiles.
public enum DownloadRequest {
  /// An alias of `DownloadOptions`.
  public typealias Options = DownloadOptions
  /// An alias of `DownloadDestination`.
  public typealias Destination = DownloadDestination

  /// Returns a destination in one of the user's folders, with the `safeSuggestedFilename` of the response.
  ///
  /// - Parameters:
  ///   - directory: the folder.
  ///   - domain: the domain of the folder.
  ///   - options: the handling of an existing file and of a missing folder.
  /// - Returns: the destination, which is in the temporary folder if the system has no such folder.
  public static func suggestedDownloadDestination(
    for directory: FileManager.SearchPathDirectory = .documentDirectory,
    in domain: FileManager.SearchPathDomainMask = .userDomainMask, options: DownloadOptions = []
  ) -> DownloadDestination {
    { temporaryURL, response in
      let folder =
        FileManager.default.urls(for: directory, in: domain).first
        ?? FileManager.default.temporaryDirectory
      return (folder.appendingPathComponent(response.safeSuggestedFilename), options)
    }
  }

  /// Returns a destination in a folder, with the `safeSuggestedFilename` of the response.
  ///
  /// - Parameters:
  ///   - folder: the folder.
  ///   - options: the handling of an existing file and of a missing folder.
  /// - Returns: the destination.
  public static func suggestedDownloadDestination(
    in folder: URL, options: DownloadOptions = []
  ) -> DownloadDestination {
    { _, response in (folder.appendingPathComponent(response.safeSuggestedFilename), options) }
  }
}
