#if canImport(UIKit) || canImport(AppKit)
  public import NetworkCore
  public import RxLite

  extension ObservableType where Element == Response {
    /// Creates an image from each body; a body that is not an image fails with `NetworkError.imageMapping`.
    ///
    /// - Returns: the sequence of images.
    public func mapImage() -> Observable<Image> {
      map { try $0.mapImage() }
    }
  }

  extension PrimitiveSequence where Trait == SingleTrait, Element == Response {
    /// Creates an image from the body; a body that is not an image fails with `NetworkError.imageMapping`.
    ///
    /// - Returns: the single of the image.
    public func mapImage() -> Single<Image> {
      map { try $0.mapImage() }
    }
  }
#endif
