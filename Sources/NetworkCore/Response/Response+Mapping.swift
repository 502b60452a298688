public import Foundation

extension Response {
  /// Returns the body as JSON: a dictionary, an array, a string, a number or `NSNull`.
  ///
  /// - Parameter failsOnEmptyData: whether an empty body is an error. If not, the result is `NSNull`.
  /// - Returns: the value.
  /// - Throws: `NetworkError.jsonMapping` if the body is not JSON.
  public func mapJSON(failsOnEmptyData: Bool = true) throws -> Any {
    if data.isEmpty, !failsOnEmptyData { return NSNull() }
    do {
      return try JSONSerialization.jsonObject(with: data, options: .fragmentsAllowed)
    } catch {
      throw NetworkError.jsonMapping(self)
    }
  }

  /// Returns the body, or the string at a key path of a JSON body, as text.
  ///
  /// A byte order mark names the encoding of the whole body, and is removed. Without one, `charset` of the
  /// `Content-Type` names it; a body without a known charset is UTF-8.
  ///
  /// - Parameter keyPath: names joined by dots, such as `user.name`; `nil` for the whole body.
  /// - Returns: the text.
  /// - Throws: `NetworkError.stringMapping` if there is no text; `.jsonMapping` if a key path is given and
  ///   the body is not JSON.
  public func mapString(atKeyPath keyPath: String? = nil) throws -> String {
    guard let keyPath else {
      guard let text = TextEncoding.text(of: data, contentType: headers["Content-Type"]) else {
        throw NetworkError.stringMapping(self)
      }
      return text
    }
    guard case .success(let text) = try value(String.self, atKeyPath: keyPath, using: .standard) else {
      throw NetworkError.stringMapping(self)
    }
    return text
  }

  /// Decodes the body, or the value at a key path of it.
  ///
  /// - Parameters:
  ///   - type: the type to decode.
  ///   - keyPath: names joined by dots, such as `data.items`; `nil` for the whole body.
  ///   - decoder: the decoder to use.
  ///   - failsOnEmptyData: whether an empty body is an error. If not, an empty body is decoded as the first
  ///     of `{}`, `[{}]` and `[]` that `type` accepts, and a missing key path means the whole body.
  /// - Returns: the value.
  /// - Throws: `NetworkError.objectMapping` if decoding fails; `.jsonMapping` if a key path is given and the
  ///   body is not JSON or has no value there.
  public func map<D: Decodable>(
    _ type: D.Type, atKeyPath keyPath: String? = nil, using decoder: JSONDecoder = .standard,
    failsOnEmptyData: Bool = true
  ) throws -> D {
    // The other cases are separate functions, because a generic function looks up the types of all its
    // temporaries on entry.
    if data.isEmpty, !failsOnEmptyData {
      return try mapEmptyData(type, using: decoder)
    }
    if let keyPath {
      return try map(type, keyPath: keyPath, using: decoder, failsOnEmptyData: failsOnEmptyData)
    }
    return try decode(type, using: decoder)
  }

  private func decode<D: Decodable>(_ type: D.Type, using decoder: JSONDecoder) throws -> D {
    do {
      return try decoder.decode(type, from: data)
    } catch {
      throw NetworkError.objectMapping(error, self)
    }
  }

  private func mapEmptyData<D: Decodable>(_ type: D.Type, using decoder: JSONDecoder) throws -> D {
    for text in ["{}", "[{}]", "[]"] {
      if let value = try? decoder.decode(type, from: Data(text.utf8)) { return value }
    }
    return try decode(type, using: decoder)
  }

  private func map<D: Decodable>(
    _ type: D.Type, keyPath: String, using decoder: JSONDecoder, failsOnEmptyData: Bool
  ) throws -> D {
    guard let found = try value(type, atKeyPath: keyPath, using: decoder) else {
      if failsOnEmptyData {
        throw NetworkError.jsonMapping(
          Response(
            copying: self, data: data, metrics: metrics, fileURL: fileURL, fileSize: bodyCount,
            missingKeyPath: keyPath))
      }
      return try decode(type, using: decoder)
    }
    do {
      return try found.get()
    } catch {
      throw NetworkError.objectMapping(error, self)
    }
  }

  /// Returns the result of decoding the value at a key path; `nil` if there is no value.
  private func value<D: Decodable>(
    _ type: D.Type, atKeyPath keyPath: String, using decoder: JSONDecoder
  ) throws -> Result<D, any Error>? {
    do {
      let names = try keyPath.split(separator: ".").map { try decoder.converted(String($0)) }
      return try decoder.decode(ValueAtKeyPath<D>.self, from: data, configuration: names).value
    } catch {
      throw NetworkError.jsonMapping(self)
    }
  }
}
