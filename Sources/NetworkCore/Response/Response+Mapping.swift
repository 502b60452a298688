public import Foundation

extension Response {
  /// The body as JSON: a dictionary, an array, a string, a number or `NSNull`.
  ///
  /// - Parameter failsOnEmptyData: whether an empty body is an error; otherwise it is `NSNull`.
  /// - Returns: the value.
  /// - Throws: `NetworkError.jsonMapping` where the body is not JSON.
  public func mapJSON(failsOnEmptyData: Bool = true) throws -> Any {
    if data.isEmpty, !failsOnEmptyData { return NSNull() }
    do {
      return try JSONSerialization.jsonObject(with: data, options: .fragmentsAllowed)
    } catch {
      throw NetworkError.jsonMapping(self)
    }
  }

  /// The body, or the string at a key path of a JSON body, as text.
  ///
  /// - Parameter keyPath: names joined by dots, such as `user.name`; `nil` for the whole body, read as UTF-8.
  /// - Returns: the text.
  /// - Throws: `NetworkError.stringMapping` where there is no text, `.jsonMapping` where a key path is given and the
  ///   body is not JSON.
  public func mapString(atKeyPath keyPath: String? = nil) throws -> String {
    guard let keyPath else {
      guard let text = String(validating: data, as: UTF8.self) else { throw NetworkError.stringMapping(self) }
      return text
    }
    guard let text = try value(atKeyPath: keyPath, of: mapJSON()) as? String else {
      throw NetworkError.stringMapping(self)
    }
    return text
  }

  /// Decodes the body, or what stands at a key path of it.
  ///
  /// - Parameters:
  ///   - type: what to decode.
  ///   - keyPath: names joined by dots, such as `data.items`; `nil` for the whole body.
  ///   - decoder: the decoder to use.
  ///   - failsOnEmptyData: whether an empty body is an error; otherwise it is decoded as `{}` or `[]`, whichever
  ///     `type` accepts, and a missing key path means the whole body.
  /// - Returns: the value.
  /// - Throws: `NetworkError.objectMapping` where decoding fails, `.jsonMapping` where a key path is given and the
  ///   body is not JSON or has nothing there.
  public func map<D: Decodable>(
    _ type: D.Type, atKeyPath keyPath: String? = nil, using decoder: JSONDecoder = JSONDecoder(),
    failsOnEmptyData: Bool = true
  ) throws -> D {
    if data.isEmpty, !failsOnEmptyData {
      for empty in ["{}", "[]"] {
        if let value = try? decoder.decode(type, from: Data(empty.utf8)) { return value }
      }
    }
    if let keyPath {
      if let found = try value(atKeyPath: keyPath, of: mapJSON(failsOnEmptyData: failsOnEmptyData)) {
        return try decode(type, from: text(found), using: decoder)
      }
      if failsOnEmptyData { throw NetworkError.jsonMapping(self) }
    }
    return try decode(type, from: data, using: decoder)
  }

  private func decode<D: Decodable>(_ type: D.Type, from data: Data, using decoder: JSONDecoder) throws -> D {
    do {
      return try decoder.decode(type, from: data)
    } catch {
      throw NetworkError.objectMapping(error, self)
    }
  }

  private func text(_ value: Any) throws -> Data {
    do {
      return try JSONSerialization.data(withJSONObject: value, options: .fragmentsAllowed)
    } catch {
      throw NetworkError.jsonMapping(self)
    }
  }

  private func value(atKeyPath keyPath: String, of json: Any) -> Any? {
    keyPath.split(separator: ".").reduce(json) { value, name in
      (value as? [String: Any])?[String(name)]
    }
  }
}
