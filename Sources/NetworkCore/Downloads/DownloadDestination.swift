public import Foundation

#if canImport(FoundationNetworking)
  public import FoundationNetworking
#endif

/// Says where a downloaded file goes, once it has arrived whole.
///
/// It is called with the temporary file and the head of the answer, on a background queue, and should leave the file
/// where it is: the provider moves it.
public typealias DownloadDestination =
  @Sendable (
    _ temporaryURL: URL, _ response: HTTPURLResponse
  ) -> (destinationURL: URL, options: DownloadOptions)

/// What is done at the place that a downloaded file goes to.
public struct DownloadOptions: OptionSet, Sendable, Hashable {
  /// The options as bits.
  public let rawValue: Int

  /// Makes options from bits.
  public init(rawValue: Int) {
    self.rawValue = rawValue
  }

  /// Makes the folders that are missing.
  public static let createIntermediateDirectories = DownloadOptions(rawValue: 1 << 0)
  /// Puts the file in the place of one that is there; without it, that is `DownloadError.fileExists`.
  public static let removePreviousFile = DownloadOptions(rawValue: 1 << 1)
}

/// Stands in for Alamofire's type of this name, so that what code says of destinations compiles.
public enum DownloadRequest {
  /// See `DownloadOptions`.
  public typealias Options = DownloadOptions
  /// See `DownloadDestination`.
  public typealias Destination = DownloadDestination

  /// Puts files into one of the user's folders, under the name that the answer suggests.
  ///
  /// That is the `filename*` of `Content-Disposition` (RFC 6266) or, if there is none that can be read, its `filename`, without any
  /// folders; otherwise the last part of the URL. A name that begins with a dot loses it, control characters become `_`, and a
  /// name of more than 255 bytes of UTF-8 is cut before its extension. What has no name is called `Unknown`.
  ///
  /// - Parameters:
  ///   - directory: the folder.
  ///   - domain: whose folder.
  ///   - options: what to do where there is a file already, or no folder.
  /// - Returns: the destination; the file stays in the temporary folder where the system has no such folder.
  public static func suggestedDownloadDestination(
    for directory: FileManager.SearchPathDirectory = .documentDirectory,
    in domain: FileManager.SearchPathDomainMask = .userDomainMask, options: DownloadOptions = []
  ) -> DownloadDestination {
    { temporaryURL, response in
      let folder =
        FileManager.default.urls(for: directory, in: domain).first
        ?? FileManager.default.temporaryDirectory
      return (folder.appendingPathComponent(response.safeFilename), options)
    }
  }

  /// Puts files into a folder, under the name that the answer suggests; see
  /// ``suggestedDownloadDestination(for:in:options:)``.
  ///
  /// - Parameters:
  ///   - folder: the folder.
  ///   - options: what to do where there is a file already, or no folder.
  /// - Returns: the destination.
  public static func suggestedDownloadDestination(
    in folder: URL, options: DownloadOptions = []
  ) -> DownloadDestination {
    { _, response in (folder.appendingPathComponent(response.safeFilename), options) }
  }
}

extension HTTPURLResponse {
  /// The suggested name, as one that stays in its folder, shows there and fits.
  fileprivate var safeFilename: String {
    let disposition = value(forHTTPHeaderField: "Content-Disposition").map(ContentDisposition.init)
    return SuggestedName(disposition?.filename ?? url?.lastPathComponent ?? "").text
  }
}
