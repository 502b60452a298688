import Foundation

extension MediaType {
  /// Returns the media type of files with this extension, or `application/octet-stream` if it is unknown.
  ///
  /// Common extensions are built in; `/etc/mime.types` supplies others if it exists.
  package static func ofFile(extension name: String) -> String {
    let name = name.lowercased()
    return common[name] ?? system[name] ?? "application/octet-stream"
  }

  private static let common: [String: String] = [
    "7z": "application/x-7z-compressed", "aac": "audio/aac", "apng": "image/apng", "avif": "image/avif",
    "bin": "application/octet-stream", "bmp": "image/bmp", "bz2": "application/x-bzip2", "css": "text/css",
    "csv": "text/csv", "doc": "application/msword",
    "docx": "application/vnd.openxmlformats-officedocument.wordprocessingml.document",
    "eml": "message/rfc822", "epub": "application/epub+zip", "flac": "audio/flac",
    "geojson": "application/geo+json",
    "gif": "image/gif", "gz": "application/gzip", "heic": "image/heic", "heif": "image/heif",
    "htm": "text/html", "html": "text/html", "ico": "image/vnd.microsoft.icon", "ics": "text/calendar",
    "jar": "application/java-archive", "jpeg": "image/jpeg", "jpg": "image/jpeg", "js": "text/javascript",
    "json": "application/json", "jsonld": "application/ld+json", "log": "text/plain", "m4a": "audio/mp4",
    "m4v": "video/x-m4v", "md": "text/markdown", "mjs": "text/javascript", "mov": "video/quicktime",
    "mp3": "audio/mpeg", "mp4": "video/mp4", "mpeg": "video/mpeg", "mpg": "video/mpeg",
    "odp": "application/vnd.oasis.opendocument.presentation",
    "ods": "application/vnd.oasis.opendocument.spreadsheet", "odt": "application/vnd.oasis.opendocument.text",
    "ogg": "audio/ogg", "ogv": "video/ogg", "opus": "audio/ogg", "otf": "font/otf", "pdf": "application/pdf",
    "png": "image/png", "ppt": "application/vnd.ms-powerpoint",
    "pptx": "application/vnd.openxmlformats-officedocument.presentationml.presentation",
    "rar": "application/vnd.rar", "rtf": "application/rtf", "svg": "image/svg+xml",
    "tar": "application/x-tar",
    "tif": "image/tiff", "tiff": "image/tiff", "ttf": "font/ttf", "txt": "text/plain", "vcf": "text/vcard",
    "wasm": "application/wasm", "wav": "audio/wav", "weba": "audio/webm", "webm": "video/webm",
    "webp": "image/webp", "woff": "font/woff", "woff2": "font/woff2", "xhtml": "application/xhtml+xml",
    "xls": "application/vnd.ms-excel",
    "xlsx": "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet", "xml": "application/xml",
    "yaml": "application/yaml", "yml": "application/yaml", "zip": "application/zip",
    "zst": "application/zstd",
  ]

  private static let system: [String: String] = {
    guard let text = try? String(contentsOfFile: "/etc/mime.types", encoding: .utf8) else { return [:] }
    return types(inFile: text)
  }()

  /// Parses lines of a media type and its extensions, in the format of `/etc/mime.types`.
  ///
  /// If an extension appears several times, the first type counts.
  package static func types(inFile text: String) -> [String: String] {
    var types: [String: String] = [:]
    for line in text.split(whereSeparator: \.isNewline) {
      let words = line.prefix { $0 != "#" }.split(whereSeparator: \.isWhitespace)
      guard let type = words.first, MediaType(String(type)) != nil else { continue }
      for name in words.dropFirst() where types[name.lowercased()] == nil {
        types[name.lowercased()] = String(type)
      }
    }
    return types
  }
}
