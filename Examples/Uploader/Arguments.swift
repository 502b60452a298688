import ReactiveNetworkExamples
import Foundation

/// The options on the command line.
struct Arguments {
  var files: [URL] = []
  var destination: URL?
  var token = ProcessInfo.processInfo.environment["UPLOAD_TOKEN"] ?? ""
  var tokenURL: URL?
  var field = "file"
  var concurrency = 2
  var rate: Int?
  var timeout: TimeInterval = 30
  /// The file for a picture of the requests; `nil` for none.
  var timeline: String?

  static let help = """
    Uploads files as multipart forms, and resumes interrupted uploads.

    usage: swift run uploader --to URL [--token-url URL] [--field NAME]
             [--concurrency N] [--limit-rate BYTES] [--timeout SECONDS]
             [--timeline FILE] FILE …

      FILE …              the files (default, without --to: generated files, to a
                          server in this process whose token expires and which
                          loses one connection half-way)
      --to URL            the URL to POST each file to, in a form with one part
      --token-url URL     the URL to POST to for {"token": "…"} after a 401; the
                          first token is in the environment variable UPLOAD_TOKEN
      --field NAME        the name of the part in the form ("file")
      --concurrency N     the number of files at a time, 1 to 64 (2)
      --limit-rate BYTES  the largest number of bytes a second for each file
      --timeout SECONDS   end an attempt after this time without progress (30)
      --timeline FILE     draw the requests on a time axis (SVG)
      --help              show this text

    Each attempt first sends HEAD URL/NAME. If the response has Upload-Offset: N, and
    Upload-Length with the file's size, the attempt sends the bytes from N on, with
    Upload-Offset: N.

    Exit status: 0 on success; 1 if a file could not be uploaded, or the server
    reports another "sha256", or if the picture could not be written; 2 for invalid
    arguments; 128 plus the signal's number if a signal ended the program (Ctrl-C: 130).
    """

  init(_ reader: inout ArgumentReader) throws(ArgumentError) {
    while let argument = try reader.next() {
      switch argument {
      case "--help", "-h": throw .help
      case "--to": destination = try ArgumentReader.url(reader.value(of: argument, "a URL"))
      case "--token-url": tokenURL = try ArgumentReader.url(reader.value(of: argument, "a URL"))
      case "--field": field = try reader.value(of: argument, "a name")
      case "--concurrency": concurrency = try reader.count(of: argument, 1...64)
      case "--limit-rate": rate = try reader.count(of: argument, 1...1_000_000_000)
      case "--timeout": timeout = try reader.seconds(of: argument)
      case "--timeline": timeline = try reader.value(of: argument, "a file")
      case _ where argument.hasPrefix("-"): throw .invalid("unknown argument \"\(argument)\"")
      default: files.append(URL(fileURLWithPath: argument))
      }
    }
    if destination == nil, !files.isEmpty { throw .invalid("--to is required to upload files") }
    if destination != nil, files.isEmpty { throw .invalid("there is no file to upload") }
    try ArgumentReader.rejectDuplicateNames(files.map(\.lastPathComponent))
  }
}
