public import Foundation

#if canImport(FoundationNetworking)
  public import FoundationNetworking
#endif

/// A closure that returns the destination of a downloaded file.
///
/// The provider calls it on a background queue when the whole file has arrived, with the temporary file and
/// the head of the response. The closure should leave the file in place, because the provider moves it.
public typealias DownloadDestination =
  @Sendable (
    _ temporaryURL: URL, _ response: HTTPURLResponse
  ) -> (destinationURL: URL, options: DownloadOptions)

/// Options for the destination of a downloaded file.
public struct DownloadOptions: OptionSet, Sendable, Hashable {
  /// The bits of the options.
  public let rawValue: Int

  /// Creates options from bits.
  public init(rawValue: Int) {
    self.rawValue = rawValue
  }

  /// Creates missing folders.
  public static let createIntermediateDirectories = DownloadOptions(rawValue: 1 << 0)
  /// Replaces an existing file.
  ///
  /// Without this option, the download fails with `DownloadError.fileExists`.
  public static let removePreviousFile = DownloadOptions(rawValue: 1 << 1)
}

extension HTTPURLResponse {
  /// The file name that the response suggests, made safe: it cannot leave the folder, is not hidden, and is not
  /// too long.
  ///
  /// ```swift
  /// let task = HTTPTask.downloadDestination { _, response in
  ///   (folder.appending(path: response.safeSuggestedFilename), [.removePreviousFile])
  /// }
  /// ```
  ///
  /// The name is the `filename*` of `Content-Disposition` (RFC 6266) or, if that is missing or unreadable,
  /// its `filename`, without any folders. If both are missing, the name is the last component of the URL.
  /// Leading dots and spaces are removed, control characters become `_`, and a name of more than 255 bytes of
  /// UTF-8 is cut before its extension. If no name is left, the file is called `Unknown`.
  public var safeSuggestedFilename: String {
    let disposition = value(forHTTPHeaderField: "Content-Disposition").map(ContentDisposition.init)
    return SuggestedFilename(disposition?.filename ?? url?.lastPathComponent ?? "").text
  }
}
