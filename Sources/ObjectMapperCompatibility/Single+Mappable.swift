public import NetworkCore
public import RxLite

extension ObservableType where Element == Response {
  /// Creates a value from the JSON object in each body, at a key path if one is given.
  ///
  /// It fails with `NetworkError.jsonMapping` if there is no object, and with `.objectMapping` if the type
  /// rejects the object.
  ///
  /// - Parameters:
  ///   - type: the type to create.
  ///   - keyPath: names and array indexes, joined by dots; `nil` for the whole body.
  /// - Returns: the sequence of values.
  public func mapObject<Value: Mappable>(
    _ type: Value.Type, atKeyPath keyPath: String? = nil
  ) -> Observable<Value> {
    mapping { try $0.mapObject(type: type, atKeyPath: keyPath) }
  }

  /// Creates values from the JSON array of objects in each body, at a key path if one is given.
  ///
  /// It fails with `NetworkError.jsonMapping` if there is no array of objects.
  ///
  /// - Parameters:
  ///   - type: the type to create; objects that it rejects are skipped.
  ///   - keyPath: names and array indexes, joined by dots; `nil` for the whole body.
  /// - Returns: the sequence of arrays.
  public func mapArray<Value: Mappable>(
    _ type: Value.Type, atKeyPath keyPath: String? = nil
  ) -> Observable<[Value]> {
    mapping { try $0.mapArray(type: type, atKeyPath: keyPath) }
  }

  /// The same as `mapObject(_:atKeyPath:)`.
  ///
  /// - Parameters:
  ///   - type: the type to create.
  ///   - keyPath: names and array indexes, joined by dots; `nil` for the whole body.
  /// - Returns: the sequence of values.
  public func mapObject<Value: Mappable>(
    type: Value.Type, atKeyPath keyPath: String? = nil
  ) -> Observable<Value> {
    mapObject(type, atKeyPath: keyPath)
  }

  /// The same as `mapArray(_:atKeyPath:)`.
  ///
  /// - Parameters:
  ///   - type: the type to create; objects that it rejects are skipped.
  ///   - keyPath: names and array indexes, joined by dots; `nil` for the whole body.
  /// - Returns: the sequence of arrays.
  public func mapArray<Value: Mappable>(
    type: Value.Type, atKeyPath keyPath: String? = nil
  ) -> Observable<[Value]> {
    mapArray(type, atKeyPath: keyPath)
  }
}

extension PrimitiveSequence where Trait == SingleTrait, Element == Response {
  /// Creates a value from the JSON object in the body, at a key path if one is given.
  ///
  /// It fails with `NetworkError.jsonMapping` if there is no object, and with `.objectMapping` if the type
  /// rejects the object.
  ///
  /// - Parameters:
  ///   - type: the type to create.
  ///   - keyPath: names and array indexes, joined by dots; `nil` for the whole body.
  /// - Returns: the single of the value.
  public func mapObject<Value: Mappable>(
    _ type: Value.Type, atKeyPath keyPath: String? = nil
  ) -> Single<Value> {
    mapping { try $0.mapObject(type: type, atKeyPath: keyPath) }
  }

  /// Creates values from the JSON array of objects in the body, at a key path if one is given.
  ///
  /// It fails with `NetworkError.jsonMapping` if there is no array of objects.
  ///
  /// - Parameters:
  ///   - type: the type to create; objects that it rejects are skipped.
  ///   - keyPath: names and array indexes, joined by dots; `nil` for the whole body.
  /// - Returns: the single of the array.
  public func mapArray<Value: Mappable>(
    _ type: Value.Type, atKeyPath keyPath: String? = nil
  ) -> Single<[Value]> {
    mapping { try $0.mapArray(type: type, atKeyPath: keyPath) }
  }

  /// The same as `mapObject(_:atKeyPath:)`.
  ///
  /// - Parameters:
  ///   - type: the type to create.
  ///   - keyPath: names and array indexes, joined by dots; `nil` for the whole body.
  /// - Returns: the single of the value.
  public func mapObject<Value: Mappable>(
    type: Value.Type, atKeyPath keyPath: String? = nil
  ) -> Single<Value> {
    mapObject(type, atKeyPath: keyPath)
  }

  /// The same as `mapArray(_:atKeyPath:)`.
  ///
  /// - Parameters:
  ///   - type: the type to create; objects that it rejects are skipped.
  ///   - keyPath: names and array indexes, joined by dots; `nil` for the whole body.
  /// - Returns: the single of the array.
  public func mapArray<Value: Mappable>(
    type: Value.Type, atKeyPath keyPath: String? = nil
  ) -> Single<[Value]> {
    mapArray(type, atKeyPath: keyPath)
  }
}
