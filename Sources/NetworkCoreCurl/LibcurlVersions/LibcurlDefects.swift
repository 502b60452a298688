/// The defects of a version of libcurl that the transport works around.
///
/// This type and the files of this folder name the versions with a defect. When the floor
/// (`CurlLibrary.floor`) passes the last of them, the code can be removed. The tests run with several versions,
/// so a new version without a defect shows at once. What a version does that is not tested is assumed: each property
/// says where. If libcurl does not report its version, only `mishandlesFirstContinuation` is `true`, because it
/// protects the memory of the process.
///
/// The folder `OriginLimits` is a workaround as well. Those of a few lines are where they apply, with the versions in
/// a comment: search for `libcurl (`.
struct LibcurlDefects {
  /// Whether a response that begins with a continuation line must be withheld from libcurl; see
  /// `ContinuationLineCheck`.
  ///
  /// From 7.83 to 8.1, an easy handle keeps a dangling pointer to the last field of its last response, and
  /// writes a continuation line before any field to it: any server could corrupt the memory of the process. A
  /// handle without an earlier response refuses the line. Newer versions drop it. The line is also withheld from
  /// 7.80 to 7.82, which have no such pointer. `InvalidResponseTests` sends such lines.
  let mishandlesFirstContinuation: Bool
  /// Whether a connection that uses HTTP/2 without negotiation can carry only one request.
  ///
  /// For a second request, 7.88 would start HTTP/2 within HTTP/2, and end it with `CURLE_HTTP2`. 8.12 and newer
  /// versions do not, and the untested versions below and above 7.88 are assumed not to.
  let limitsPriorKnowledgeToOneRequest: Bool
  /// Whether libcurl leaves it to the transport to retry requests that a GOAWAY excludes; see
  /// `GoAwayLogLine`.
  ///
  /// Versions below 8.0 do. From 8.0 on, libcurl retries them itself, as all versions do after `REFUSED_STREAM`.
  let leavesGoAwayRetriesToTransport: Bool
  /// Whether the window of an HTTP/2 stream grows although its transfer is paused.
  ///
  /// 8.12 restores the window with each frame that arrives, buffers 64 MiB and then ends the transfer with
  /// `CURLE_TOO_LARGE`; 7.88 and 8.16 do not. The rest of 8.7 to 8.15 is assumed to do the same as 8.12. A rate limit
  /// (`CURLOPT_MAX_RECV_SPEED_LARGE`) also limits the window. It delays nothing, because it is set only while the
  /// transfer is paused. `HTTP2Tests` fails with 8.12 without it.
  let growsPausedWindows: Bool
  /// Whether a transfer must not be paused again within the call that ends a pause; see
  /// `CurlTransfer.deferBytes(_:)`.
  ///
  /// 8.16 fails in that case; 8.12, 8.19 and newer versions do not. The rest of 8.13 to 8.18 is assumed to fail. 8.19
  /// and newer versions end transfers that are paused after that call. `DecompressionBombTests` fails with 8.16
  /// without it.
  let losesDataPausedAgain: Bool

  /// The defects of a version; `nil` for a version that is not known.
  init(version: (major: Int, minor: Int)?) {
    mishandlesFirstContinuation = version.map { $0 < (8, 2) } ?? true
    limitsPriorKnowledgeToOneRequest = version.map { $0 == (7, 88) } ?? false
    leavesGoAwayRetriesToTransport = version.map { $0.major < 8 } ?? false
    growsPausedWindows = version.map { $0.major == 8 && (7...15).contains($0.minor) } ?? false
    losesDataPausedAgain = version.map { $0.major == 8 && (13...18).contains($0.minor) } ?? false
  }
}
