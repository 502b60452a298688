internal import CNetworkCoreCurl
internal import Foundation

/// A libcurl easy handle with the memory that it points to; reused for one transfer after the other.
///
/// Used on the loop's thread only. `init` sets the options that are the same for every request, `apply(_:for:)` those
/// of a profile, and `prepare(_:)` those of a request. `applied` records the options that are set only when they
/// change, such as the URL, so that no option of the last request remains in the next.
final class CurlEasy {
  let curl: UnsafePointer<ccurl_library>
  let handle: UnsafeMutableRawPointer
  /// The transfer that uses the handle; libcurl's callbacks reach it through this property.
  var transfer: CurlTransfer?
  @exclusivity(unchecked) var arena = RequestArena()
  /// `CURL_ERROR_SIZE` bytes for libcurl's error messages.
  let errorBuffer: UnsafeMutablePointer<CChar>
  /// Whether libcurl leaves it to the transport to retry a request after a reused connection has broken.
  var leavesRetriesToTransport = false
  /// Whether the handle must not be used for another request, because of a failure (see `noteFailure()`) or of
  /// the options that only an upgrade has.
  var mustNotBeReused = false
  /// A URL parsed by libcurl; as text, libcurl would parse it again for each request.
  let parsedURL: UnsafeMutableRawPointer?
  let library: CurlLibrary
  /// The options that the handle has in addition to the constant ones.
  var applied = AppliedRequest()
  /// What libcurl has reported about the connection of the current request.
  var reported = ReportedConnection()
  // Without exclusivity checks, like everything that the loop's thread uses several times for each request.
  /// Inspects the lines up to the first field of a response.
  @exclusivity(unchecked) var continuationLineCheck: ContinuationLineCheck?
  /// `nil` for a handle that opens no sockets.
  @exclusivity(unchecked) var sockets: ConnectionSockets?

  /// Creates a handle; `nil` if libcurl has no memory for one.
  ///
  /// - Parameters:
  ///   - library: libcurl.
  ///   - sockets: the registry of its connections; `nil` for a handle that opens none.
  init?(library: CurlLibrary, sockets: SocketRegistry? = nil) {
    guard let handle = library.table.pointee.easy_init() else { return nil }
    self.library = library
    self.curl = library.table
    self.sockets = sockets.map { ConnectionSockets(registry: $0) }
    self.handle = handle
    parsedURL = curl.pointee.url_init()
    errorBuffer = .allocate(capacity: CCURL_ERROR_SIZE)
    errorBuffer.initialize(repeating: 0, count: CCURL_ERROR_SIZE)
    setConstantOptions()
  }

  deinit {
    curl.pointee.easy_cleanup(handle)
    curl.pointee.url_cleanup(parsedURL)
    errorBuffer.deallocate()
  }

  /// Whether libcurl has written an error message for the current request.
  var hasReason: Bool { errorBuffer[0] != 0 }

  /// libcurl's error message, or its general text for the code.
  func reason(for code: Int) -> String {
    if hasReason { return String(cString: errorBuffer) }
    return curl.pointee.easy_strerror(CInt(code)).map { String(cString: $0) } ?? "libcurl's error \(code)"
  }

  /// Resumes a paused transfer in both directions.
  ///
  /// - Returns: libcurl's code. libcurl delivers the data that it has kept within this call.
  func unpause() -> Int {
    Int(curl.pointee.easy_pause(handle, 0))
  }

  /// Pauses receiving; sending continues unless it is paused as well.
  func pauseReceiving(isSendingPaused: Bool) {
    _ = curl.pointee.easy_pause(handle, CInt(CCURLPAUSE_RECV | (isSendingPaused ? CCURLPAUSE_SEND : 0)))
  }

  /// Makes an HTTP/2 server send no more than a byte at a time; see `LibcurlDefects.growsPausedWindows`.
  var limitsWindow = false {
    didSet {
      guard limitsWindow != oldValue, library.defects.growsPausedWindows else { return }
      _ = ccurl_setopt_offset(curl, handle, CCURLOPT_MAX_RECV_SPEED_LARGE, limitsWindow ? 1 : 0)
    }
  }

  /// What libcurl passes to the body callback.
  enum ReceivedPart {
    case body
    case headLine(isAccepted: Bool)
  }

  /// Checks bytes that libcurl has passed to the body callback.
  func check(_ bytes: UnsafeRawBufferPointer) -> ReceivedPart {
    (continuationLineCheck?.check(bytes)).map { .headLine(isAccepted: $0) } ?? .body
  }

  /// Notes that libcurl has accepted a line of a head.
  func noteAccepted(_ line: UnsafeRawBufferPointer, endsHead: Bool) {
    guard continuationLineCheck != nil, endsHead || ContinuationLineCheck.isField(line) else { return }
    continuationLineCheck = nil
    set(CCURLOPT_HEADER, 0)
  }

  func set(_ option: Int, _ value: Int) {
    _ = ccurl_setopt_long(curl, handle, option, value)
  }

  func set(_ option: Int, string value: String?) {
    _ = ccurl_setopt_string(curl, handle, option, value)
  }

  func set(_ option: Int, pointer: UnsafeMutableRawPointer?) {
    _ = ccurl_setopt_pointer(curl, handle, option, pointer)
  }

  /// Sets an option and returns libcurl's result; `CURLE_OK` if libcurl lacks an optional one.
  func set(_ setting: CurlSetting) -> Int {
    let code = pass(setting)
    let isMissing = code == CCURLE_UNKNOWN_OPTION || code == CCURLE_NOT_BUILT_IN
    return isMissing && setting.isOptional ? CCURLE_OK : code
  }

  private func pass(_ setting: CurlSetting) -> Int {
    guard !library.unsupportedOptions.contains(setting.name) else { return CCURLE_UNKNOWN_OPTION }
    switch setting.value {
    case .long(let value): return ccurl_setopt_long(curl, handle, setting.option, value)
    case .string(let value): return ccurl_setopt_string(curl, handle, setting.option, value)
    case .blob(let blob):
      var value = blob.value
      return ccurl_setopt_blob(curl, handle, setting.option, &value)
    case .list(let list): return ccurl_setopt_pointer(curl, handle, setting.option, list.first)
    }
  }
}
