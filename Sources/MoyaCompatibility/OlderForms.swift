public import Foundation

// The forms of older versions of Moya, whose tasks contain the parts.

extension MultipartFormData {
  /// Creates a form; `fileManager` is not used.
  ///
  /// - Parameters:
  ///   - fileManager: not used, because files are read with system calls.
  ///   - boundary: the boundary between the parts; `nil` for a random one.
  ///   - parts: the parts.
  public init(fileManager: FileManager, boundary: String? = nil, parts: [MultipartFormBodyPart]) {
    self.init(boundary: boundary, parts: parts)
  }

  /// Creates a form with one part, as in older versions of Moya.
  ///
  /// - Parameters:
  ///   - provider: the source of the part's bytes.
  ///   - name: the part's name.
  ///   - fileName: the file name to send.
  ///   - mimeType: the part's media type.
  public init(
    provider: FormDataProvider, name: String, fileName: String? = nil, mimeType: String? = nil
  ) {
    self.init(parts: [
      MultipartFormBodyPart(provider: provider, name: name, fileName: fileName, mimeType: mimeType)
    ])
  }

  /// The default file manager; files are read with system calls.
  public var fileManager: FileManager { .default }
}

extension HTTPTask {
  /// The older spelling of `uploadMultipartFormData(_:)`, with the parts of the form.
  ///
  /// - Parameter parts: the parts.
  /// - Returns: the task, which a pattern matches as `.uploadMultipartFormData`.
  public static func uploadMultipart(_ parts: [MultipartFormBodyPart]) -> HTTPTask {
    .uploadMultipartFormData(MultipartFormData(parts: parts))
  }

  /// The older spelling of `uploadCompositeMultipartFormData(_:urlParameters:)`, with the parts of the form.
  ///
  /// - Parameters:
  ///   - parts: the parts.
  ///   - urlParameters: the parameters in the URL.
  /// - Returns: the task, which a pattern matches as `.uploadCompositeMultipartFormData`.
  public static func uploadCompositeMultipart(
    _ parts: [MultipartFormBodyPart], urlParameters: [String: Any]
  ) -> HTTPTask {
    .uploadCompositeMultipartFormData(MultipartFormData(parts: parts), urlParameters: urlParameters)
  }

  /// The older spelling of `uploadMultipartFormData(_:)`, with parts as older versions of Moya create them.
  ///
  /// - Parameter forms: the parts.
  /// - Returns: the task.
  @_disfavoredOverload public static func uploadMultipart(_ forms: [MultipartFormData]) -> HTTPTask {
    .uploadMultipart(forms.flatMap(\.parts))
  }

  /// The older spelling of `uploadCompositeMultipartFormData(_:urlParameters:)`, with parts as older versions
  /// of Moya create them.
  ///
  /// - Parameters:
  ///   - forms: the parts.
  ///   - urlParameters: the parameters in the URL.
  /// - Returns: the task.
  @_disfavoredOverload public static func uploadCompositeMultipart(
    _ forms: [MultipartFormData], urlParameters: [String: Any]
  ) -> HTTPTask {
    .uploadCompositeMultipart(forms.flatMap(\.parts), urlParameters: urlParameters)
  }
}
