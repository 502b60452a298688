#if canImport(UIKit)
  public import UIKit

  /// The platform's images, in Moya's spelling.
  public typealias Image = UIImage
  /// The platform's images, in Moya's older spelling.
  public typealias ImageType = UIImage
#elseif canImport(AppKit)
  public import AppKit

  /// The platform's images, in Moya's spelling.
  public typealias Image = NSImage
  /// The platform's images, in Moya's older spelling.
  public typealias ImageType = NSImage
#endif

#if canImport(UIKit) || canImport(AppKit)
  extension Response {
    /// The body as an image; there are none on Linux.
    ///
    /// - Returns: the image.
    /// - Throws: `NetworkError.imageMapping` where the body is not one.
    public func mapImage() throws -> Image {
      guard let image = Image(data: data) else { throw NetworkError.imageMapping(self) }
      return image
    }
  }
#endif
