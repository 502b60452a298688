public import NetworkCore
public import RxLite

extension ObservableType where Element == Response {
  /// Makes a value of the JSON object that is each body, or stands at a key path of it.
  ///
  /// It fails with `NetworkError.jsonMapping` where there is no object, and with `.objectMapping` where the type refuses it.
  ///
  /// - Parameters:
  ///   - type: what to make.
  ///   - keyPath: names and, in arrays, numbers, joined by dots; `nil` for the whole body.
  /// - Returns: the sequence of values.
  public func mapObject<Value: Mappable>(
    _ type: Value.Type, atKeyPath keyPath: String? = nil
  ) -> Observable<Value> {
    map { try $0.mapObject(type: type, atKeyPath: keyPath) }
  }

  /// Makes values of the JSON objects in the array that is each body, or stands at a key path of it.
  ///
  /// It fails with `NetworkError.jsonMapping` where there is no array of objects.
  ///
  /// - Parameters:
  ///   - type: what to make; objects that it refuses are left out.
  ///   - keyPath: names and, in arrays, numbers, joined by dots; `nil` for the whole body.
  /// - Returns: the sequence of lists.
  public func mapArray<Value: Mappable>(
    _ type: Value.Type, atKeyPath keyPath: String? = nil
  ) -> Observable<[Value]> {
    map { try $0.mapArray(type: type, atKeyPath: keyPath) }
  }

  /// The same as `mapObject(_:atKeyPath:)`.
  ///
  /// - Parameters:
  ///   - type: what to make.
  ///   - keyPath: names and, in arrays, numbers, joined by dots; `nil` for the whole body.
  /// - Returns: the sequence of values.
  public func mapObject<Value: Mappable>(
    type: Value.Type, atKeyPath keyPath: String? = nil
  ) -> Observable<Value> {
    mapObject(type, atKeyPath: keyPath)
  }

  /// The same as `mapArray(_:atKeyPath:)`.
  ///
  /// - Parameters:
  ///   - type: what to make; objects that it refuses are left out.
  ///   - keyPath: names and, in arrays, numbers, joined by dots; `nil` for the whole body.
  /// - Returns: the sequence of lists.
  public func mapArray<Value: Mappable>(
    type: Value.Type, atKeyPath keyPath: String? = nil
  ) -> Observable<[Value]> {
    mapArray(type, atKeyPath: keyPath)
  }
}

extension PrimitiveSequence where Trait == SingleTrait, Element == Response {
  /// Makes a value of the JSON object that is the body, or stands at a key path of it.
  ///
  /// It fails with `NetworkError.jsonMapping` where there is no object, and with `.objectMapping` where the type refuses it.
  ///
  /// - Parameters:
  ///   - type: what to make.
  ///   - keyPath: names and, in arrays, numbers, joined by dots; `nil` for the whole body.
  /// - Returns: the single of the value.
  public func mapObject<Value: Mappable>(
    _ type: Value.Type, atKeyPath keyPath: String? = nil
  ) -> Single<Value> {
    map { try $0.mapObject(type: type, atKeyPath: keyPath) }
  }

  /// Makes values of the JSON objects in the array that is the body, or stands at a key path of it.
  ///
  /// It fails with `NetworkError.jsonMapping` where there is no array of objects.
  ///
  /// - Parameters:
  ///   - type: what to make; objects that it refuses are left out.
  ///   - keyPath: names and, in arrays, numbers, joined by dots; `nil` for the whole body.
  /// - Returns: the single of the list.
  public func mapArray<Value: Mappable>(
    _ type: Value.Type, atKeyPath keyPath: String? = nil
  ) -> Single<[Value]> {
    map { try $0.mapArray(type: type, atKeyPath: keyPath) }
  }

  /// The same as `mapObject(_:atKeyPath:)`.
  ///
  /// - Parameters:
  ///   - type: what to make.
  ///   - keyPath: names and, in arrays, numbers, joined by dots; `nil` for the whole body.
  /// - Returns: the single of the value.
  public func mapObject<Value: Mappable>(
    type: Value.Type, atKeyPath keyPath: String? = nil
  ) -> Single<Value> {
    mapObject(type, atKeyPath: keyPath)
  }

  /// The same as `mapArray(_:atKeyPath:)`.
  ///
  /// - Parameters:
  ///   - type: what to make; objects that it refuses are left out.
  ///   - keyPath: names and, in arrays, numbers, joined by dots; `nil` for the whole body.
  /// - Returns: the single of the list.
  public func mapArray<Value: Mappable>(
    type: Value.Type, atKeyPath keyPath: String? = nil
  ) -> Single<[Value]> {
    mapArray(type, atKeyPath: keyPath)
  }
}

#if canImport(UIKit) || canImport(AppKit)
  extension ObservableType where Element == Response {
    /// Makes an image of each body; what is none fails with `NetworkError.imageMapping`.
    ///
    /// - Returns: the sequence of images.
    public func mapImage() -> Observable<Image> {
      map { try $0.mapImage() }
    }
  }

  extension PrimitiveSequence where Trait == SingleTrait, Element == Response {
    /// Makes an image of the body; what is none fails with `NetworkError.imageMapping`.
    ///
    /// - Returns: the single of the image.
    public func mapImage() -> Single<Image> {
      map { try $0.mapImage() }
    }
  }
#endif
