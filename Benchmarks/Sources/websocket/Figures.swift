/// The figures of one run; written as JSON.
struct Figures: Codable {
  var echoes: [EchoFigures] = []
  var idle: [IdleFigures] = []
  var closings: [ClosingFigures] = []
}

/// The echo of one client.
struct EchoFigures: Codable {
  let client: String
  /// The size of a message in bytes.
  let size: Int
  let inFlight: Int
  let isCompressed: Bool
  let messagesPerSecond: Double
  /// The microseconds of processor time of the client's process, for each message.
  let processorTime: Double
}

/// The idle WebSockets of one client.
struct IdleFigures: Codable {
  let client: String
  let sockets: Int
  /// The kibibytes of resident memory, for each socket.
  let memory: Double
  let threads: Int
  /// The processor time of the client's process, in percent of one core.
  let processorShare: Double
}

/// The times from the call that closes a WebSocket until the server sees it, in milliseconds.
struct ClosingFigures: Codable {
  let client: String
  /// The size of the message in whose middle the call comes; 0 for none.
  let size: Int
  let median: Double
  let percentile99: Double
}
