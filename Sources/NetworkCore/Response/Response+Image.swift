#if canImport(UIKit)
  public import UIKit

  /// The image type of the platform, under Moya's name.
  public typealias Image = UIImage
  /// The image type of the platform, under Moya's older name.
  public typealias ImageType = UIImage
#elseif canImport(AppKit)
  public import AppKit

  /// The image type of the platform, under Moya's name.
  public typealias Image = NSImage
  /// The image type of the platform, under Moya's older name.
  public typealias ImageType = NSImage
#endif

#if canImport(UIKit) || canImport(AppKit)
  extension Response {
    /// Returns the body as an image; not available on Linux.
    ///
    /// - Returns: the image.
    /// - Throws: `NetworkError.imageMapping` if the body is not an image.
    public func mapImage() throws -> Image {
      guard let image = Image(data: data) else { throw NetworkError.imageMapping(self) }
      return image
    }
  }
#endif
