import ReactiveNetworkExamples
import Foundation

/// A file to download.
struct DownloadItem {
  let url: URL
  /// The expected SHA-256, in hexadecimal digits.
  var sum: String?
  let name: String

  /// Parses `URL#sha256=HEX`.
  init(_ argument: String) throws(ArgumentError) {
    let url = try ArgumentReader.url(argument)
    if let fragment = url.fragment, fragment.hasPrefix("sha256=") {
      let digits = fragment.dropFirst("sha256=".count).lowercased()
      guard digits.count == 64, digits.allSatisfy(\.isHexDigit) else {
        throw .invalid("\"\(digits)\" is not a SHA-256 of 64 hexadecimal digits")
      }
      sum = digits
    }
    self.url = url
    let last = url.lastPathComponent
    name = last.isEmpty || last == "/" ? "index.html" : last
    guard !name.hasPrefix("."), !name.contains(where: { $0 == "/" || $0 == "\0" }) else {
      throw .invalid("\"\(argument)\" does not end with a usable file name")
    }
  }
}

/// The options on the command line.
struct Arguments {
  var items: [DownloadItem] = []
  var directory: URL?
  var concurrency = 3
  var timeout: TimeInterval = 30
  /// The file for a picture of the requests; `nil` for none.
  var timeline: String?

  static let help = """
    Downloads several files at a time, and resumes the files of an earlier run.

    usage: swift run downloader [--directory DIR] [--concurrency N]
                                [--timeout SECONDS] [--timeline FILE]
                                [URL[#sha256=HEX] …]

      URL …              the files, each optionally with its expected SHA-256
                         (default: files of a server in this process, which cuts
                         one of them off in the middle)
      --directory DIR    the folder for the files, created if needed (.)
      --concurrency N    the number of files at a time, 1 to 64 (3)
      --timeout SECONDS  end an attempt after this time without data (30)
      --timeline FILE    draw the requests on a time axis (SVG)
      --help             show this text

    An incomplete file is stored as NAME.part. After a failure, Ctrl-C or a crash,
    the same command resumes it if the server identifies versions (ETag,
    Last-Modified). A complete file is not downloaded again, but its SHA-256 is
    checked.

    Exit status: 0 on success; 1 if a file could not be downloaded or has another
    SHA-256, or if the picture could not be written; 2 for invalid arguments; 128 plus
    the signal's number if a signal ended the program (Ctrl-C: 130).
    """

  init(_ reader: inout ArgumentReader) throws(ArgumentError) {
    while let argument = try reader.next() {
      switch argument {
      case "--help", "-h": throw .help
      case "--directory": directory = URL(fileURLWithPath: try reader.value(of: argument, "a folder"))
      case "--concurrency": concurrency = try reader.count(of: argument, 1...64)
      case "--timeout": timeout = try reader.seconds(of: argument)
      case "--timeline": timeline = try reader.value(of: argument, "a file")
      case _ where argument.hasPrefix("-"): throw .invalid("unknown argument \"\(argument)\"")
      default: items.append(try DownloadItem(argument))
      }
    }
    try ArgumentReader.rejectDuplicateNames(items.map(\.name))
  }
}
