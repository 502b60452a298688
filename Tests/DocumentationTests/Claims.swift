import Foundation
import NetworkCore
import ReactiveNetwork
import Testing
import TransportTesting

/// A sentence of a document that states a number or a default, and what makes it true.
struct Claim: Sendable, CustomTestStringConvertible {
  enum Witness: Sendable {
    /// A value of the package equals the value of the sentence.
    case value(@Sendable () throws -> Bool)
    /// A file of the sources has this code: a constant that tests cannot see.
    case code(String, in: String)
    /// A file of tests has a test with this name.
    case test(String, in: String)
  }

  /// The document, relative to the root of the repository.
  let document: String
  /// The part of its text that states the claim; line breaks count as blanks.
  let sentence: String
  let witness: Witness

  var testDescription: String { "\(document): \(sentence)" }
}

extension Claim {
  static let all = transports + cache + cookies + retries + webSockets + others + absolute

  static func network(_ article: String, _ sentence: String, _ witness: Witness) -> Claim {
    Claim(
      document: "Sources/NetworkCore/NetworkCore.docc/\(article).md", sentence: sentence, witness: witness)
  }

  static func reactive(_ article: String, _ sentence: String, _ witness: Witness) -> Claim {
    Claim(
      document: "Sources/ReactiveNetwork/ReactiveNetwork.docc/\(article).md", sentence: sentence,
      witness: witness)
  }

  private static func curl(_ code: String, _ file: String) -> Witness {
    .code(code, in: "Sources/NetworkCoreCurl/\(file).swift")
  }

  private static let transports: [Claim] = [
    network(
      "LimitsAndTimeouts", "`timeouts.connect` (60 s,",
      .value { CurlConfiguration().timeouts.connect == .seconds(60) }),
    network(
      "LimitsAndTimeouts", "`timeouts.firstByte` (none)",
      .value { CurlConfiguration().timeouts.firstByte == nil }),
    network(
      "LimitsAndTimeouts", "`timeouts.total` (none)", .value { CurlConfiguration().timeouts.total == nil }),
    network(
      "LimitsAndTimeouts", "`idleTimeout` or `URLRequest.timeoutInterval` (60 s)",
      .value { TransportRequest(method: .get, url: "http://h/").idleTimeout == .seconds(60) }),
    network(
      "LimitsAndTimeouts", "a decoded body in memory | 256 MiB |",
      .value { NetworkProvider<API>().memoryBodyLimit == 256 << 20 }),
    network(
      "LimitsAndTimeouts", "`responseBodyLimit` of the provider or a target: every body | none |",
      .value { NetworkProvider<API>().responseBodyLimit == nil && API.zen.responseBodyLimit == nil }),
    network(
      "LimitsAndTimeouts", "the head of a response | 256 KiB,",
      curl("static let headLimit = 256 << 10", "CurlTransport")),
    network(
      "LimitsAndTimeouts", "256 KiB, 5,000 fields |", curl("static let fieldLimit = 5_000", "CurlTransport")),
    network(
      "LimitsAndTimeouts", "one line or event | 1 MiB |",
      .code("limit: Int = 1 << 20)", in: "Sources/NetworkCore/Streams/LineSplitter.swift")),
    network(
      "LimitsAndTimeouts", "redirects of a request | 16 |", .value { RedirectPolicy.standardLimit == 16 }),
    network(
      "LimitsAndTimeouts", "`connections.limit` | three quarters of the file descriptors",
      curl("min(limit.rlim_cur, 65_536)) / 4 * 3", "CurlTransport")),
    network(
      "LimitsAndTimeouts", "`connections.limitPerHost` | none |",
      .value { CurlConfiguration().connections.limitPerHost == nil }),
    network(
      "LimitsAndTimeouts", "`connections.requestLimit` | 100,000 requests",
      .value { CurlConfiguration().connections.requestLimit == 100_000 }),
    network(
      "LimitsAndTimeouts", "`connections.streamLimit` | 256 requests",
      .value { CurlConfiguration().connections.streamLimit == 256 }),
    network(
      "LimitsAndTimeouts", "`connections.lifetime` | none |",
      .value { CurlConfiguration().connections.lifetime == nil }),
    network(
      "LimitsAndTimeouts", "`connections.keepAlive` | 60 s |",
      .value { CurlConfiguration().connections.keepAlive == .seconds(60) }),
    network(
      "LimitsAndTimeouts", "`names.cacheTime` | 60 s |",
      .value { CurlConfiguration().names.cacheTime == .seconds(60) }),
    network(
      "LimitsAndTimeouts", "requests for credentials to one request (401, 407) | 8 |",
      curl("static let challengeLimit = 8", "CurlTransport")),
    network(
      "LimitsAndTimeouts", "with one request unprocessed | 5 |",
      curl("static let goAwayLimit = 5", "CurlTransport")),
    network(
      "LimitsAndTimeouts", "accepts no more of the body | 3 s,",
      curl("static let earlyResponseLimit: UInt64 = 3_000_000_000", "CurlTransport")),
    network(
      "LimitsAndTimeouts", "0.25 s without a report,",
      curl("(interval, shortInterval) = (250, 100)", "LibcurlVersions/FloodWatchdog")),
    network(
      "LimitsAndTimeouts", "then 512 KiB and",
      curl("floodSize: Int64 = 512 << 10", "LibcurlVersions/FloodWatchdog")),
    network(
      "LimitsAndTimeouts", "and 0.1 s of processor time",
      curl("cpuTimeLimit: Int64 = 100_000_000", "LibcurlVersions/FloodWatchdog")),
    network(
      "TrustCertificates", "New connections notice within a minute that the file has changed",
      .value { CurlConfiguration().tls.authoritiesCacheTime == 60 }),
    network(
      "TrustCertificates", "`tls.minimumVersion` (TLS 1.2)",
      .value { CurlConfiguration().tls.minimumVersion == .v1_2 }),
    network(
      "TrustCertificates", "`tls.sendsEarlyData` (off)", .value { !CurlConfiguration().tls.sendsEarlyData }),
    network(
      "TrustCertificates", "the transport refuses every host that has no evaluator",
      .value { ServerTrustManager(evaluators: [:]).allHostsMustBeEvaluated }),
    network(
      "Proxies", "`.environment` | the default |", .value { CurlConfiguration().proxy == .environment }),
    network(
      "Proxies", "unless `servesLoopback` is set",
      .value { !CurlConfiguration.Proxy(.http, host: "h", port: 1).servesLoopback }),
    network(
      "HTTP2AndHTTP3", "opens up to 16 connections",
      curl("static let connectionLimit = 16", "OriginLimits/OriginRequestLimiter")),
    network(
      "HTTP2AndHTTP3", "Requests that take longer than a second are not counted",
      curl("generationTime: UInt64 = 500_000_000", "OriginLimits/OriginRequestLimiter")),
    network(
      "HTTP2AndHTTP3", "If there is no connection within 2 s,",
      .value { CurlConfiguration().timeouts.service == .seconds(2) }),
    network(
      "HTTP2AndHTTP3", "the service is not used for five minutes",
      curl("penalty: UInt64 = 300_000_000_000", "Connections/AlternativeServiceCache")),
    network(
      "HTTP2AndHTTP3", "by default a day,",
      curl("var lifetime: UInt64 = 86_400", "Connections/AlternativeService")),
    network(
      "HTTP2AndHTTP3", "at most 30 days", curl("min(seconds, 30 * 86_400)", "Connections/AlternativeService")),
    network(
      "HTTP2AndHTTP3", "remembers the advertisements of 1,024 origins",
      curl("static let limit = 1_024", "Connections/AlternativeServiceCache")),
    network("HTTP2AndHTTP3", "up to five times", curl("static let goAwayLimit = 5", "CurlTransport")),
    network(
      "LibcurlVersions", "7.80 is the oldest supported version",
      curl("floor = (major: 7, minor: 80)", "CurlLibrary")),
    network(
      "ResponseGuarantees", "8 MiB at most (RFC 9659)",
      .code("WINDOW_LOG_MAX, 23)", in: "Sources/CNetworkCoreCurl/Decoding.c")),
    network(
      "ResponseGuarantees", "accepts no more of the body for three seconds",
      curl("static let earlyResponseLimit: UInt64 = 3_000_000_000", "CurlTransport")),
    network(
      "ThreadsAndFiles", "on one thread (more with", .value { CurlConfiguration().threads == 1 }),
    network(
      "ThreadsAndFiles", "up to 128 KiB of a body",
      curl("static let deliveryLimit = 128 << 10", "CurlTransport")),
    network(
      "ThreadsAndFiles", "(1 MiB over HTTP/2 and HTTP/3)",
      curl("static let streamDeliveryLimit = 1 << 20", "CurlTransport")),
    network(
      "ThreadsAndFiles", "for 5 to 10 milliseconds",
      .code(
        "stallTime = DispatchTimeInterval.milliseconds(5)",
        in: "Sources/NetworkCoreTransport/Callbacks/CallbackPool.swift")),
    network(
      "ThreadsAndFiles", "waiting for up to two seconds",
      .code(
        "checksBeforeRestart = 400", in: "Sources/NetworkCoreTransport/Callbacks/CallbackPool.swift")),
    network(
      "ThreadsAndFiles", "up to 256 for each of `threads`",
      .code("threadLimit = 256", in: "Sources/NetworkCoreTransport/Callbacks/CallbackPool.swift")),
    network(
      "ThreadsAndFiles", "at most 64 calls of the process wait for upload files",
      .code("threadLimit = 64", in: "Sources/NetworkCoreTransport/Body/BlockingWorkPool.swift")),
    network(
      "Transports", "ends the transfer after 64 MiB",
      .code(
        "pendingBodyLimit = 64 << 20", in: "Sources/NetworkCoreTransport/URLSession/URLSessionTransport.swift"
      )
    ),
  ]

  private static let cache: [Claim] = [
    network(
      "CacheOnDisk", "The defaults are 4 MiB in memory,", .value { try HTTPCache().memoryCapacity == 4 << 20 }
    ),
    network(
      "CacheOnDisk", "20 MiB on disk,",
      .code("diskCapacity: Int = 20 << 20", in: "Sources/NetworkCoreTransport/Cache/HTTPCache.swift")),
    network(
      "CacheOnDisk", "without `directory`, nothing is written", .value { try HTTPCache().diskCapacity == 0 }),
    network(
      "CacheOnDisk", "by a tenth of the time since `Last-Modified`, a day at most",
      .code(
        "min(max(0, date - modified) / 10, 86_400)",
        in: "Sources/NetworkCoreTransport/Cache/Freshness.swift")),
    network(
      "CacheOnDisk", "exceeds a tenth of the larger capacity",
      .code(
        "max(memoryCapacity, diskCapacity) / 10", in: "Sources/NetworkCoreTransport/Cache/HTTPCache.swift")),
    network(
      "CacheOnDisk", "No request waits for its file longer than a second",
      .code(
        "timeLimit = DispatchTimeInterval.seconds(1)",
        in: "Sources/NetworkCoreTransport/Body/BlockingWorkPool+Keys.swift")),
  ]

  private static let cookies: [Claim] = [
    network("Cookies", "`.none` | the default:", .value { CurlConfiguration().cookies == .none }),
    network("Cookies", "lasts for more than 400 days", curl("ageLimit = 400 * 86_400", "Cookies/Cookie")),
    network("Cookies", "keeps about 3,000 cookies", curl("limit = 3_000", "Cookies/CookieJarContents")),
    network("Cookies", "exceed 4,096 bytes is ignored", curl("sizeLimit = 4_096", "Cookies/Cookie")),
    network("Cookies", "more than eight challenges", curl("challengeLimit = 8", "CurlTransport")),
  ]

  private static let retries: [Claim] = [
    reactive(
      "RetriesAndCredentials",
      "By default, these are the idempotent methods (DELETE, GET, HEAD, OPTIONS, PUT, QUERY, TRACE).",
      .value {
        RetryPolicy.defaultRetryableHTTPMethods.map(\.rawValue).sorted()
          == ["DELETE", "GET", "HEAD", "OPTIONS", "PUT", "QUERY", "TRACE"]
      }),
    reactive(
      "RetriesAndCredentials", "`longestRefresh` (120 s by default)",
      .code(
        "longestRefresh: Duration? = .seconds(120)",
        in: "Sources/NetworkCore/Interceptor/AuthenticationInterceptor.swift")),
    reactive(
      "RetriesAndCredentials", "`longestRefresh` (120 s by default)",
      .code(
        "longestRefresh: RxTimeInterval = .seconds(120)",
        in: "Sources/ReactiveNetwork/Workflows/TokenRefresher.swift")),
    reactive(
      "RetriesAndCredentials", "`CurlTransport` proves it if the request never had a connection",
      .test(
        "is given by CurlTransport for a refused connection",
        in: "Tests/NetworkCoreCurlTests/UnsentRequestTests.swift")),
    reactive(
      "Authentication", "wait for it too, so that each is sent once",
      .test(
        "requests that start during a refresh wait for it, so that each of them is sent once",
        in: "Tests/ReactiveNetworkTests/Workflows/TokenRefresherTests.swift")),
    reactive(
      "Authentication", "stops after five refreshes in 30 seconds",
      .code(
        "interval: TimeInterval = 30.0, maximumAttempts: Int = 5",
        in: "Sources/NetworkCore/Interceptor/AuthenticationInterceptor.swift")),
    reactive(
      "PolicyTuning", "The percentile is that of the last five minutes.",
      .code("within: Duration = .seconds(300)", in: "Sources/NetworkCore/Policies/HedgePolicy.swift")),
    reactive(
      "ErrorHandling", "The delays grow from half a second to 30 seconds",
      .code(
        "initial: RxTimeInterval = .milliseconds(500), multiplier: Double = 2, max: RxTimeInterval = .seconds(30)",
        in: "Sources/RxLite/Additions/Backoff.swift")),
    reactive(
      "ErrorHandling", "with one of more than a minute,",
      .value { RetryPolicy().longestRetryAfter == .seconds(60) }),
    reactive("Policies", "two retries in ten seconds", .value { RetryBudget().availableRetries == 2 }),
    reactive(
      "Policies", "one second copy is available at the start",
      .value { RetryBudget(ratio: 0.1).availableRetries == 1 }),
    reactive(
      "Policies", "`maxWaiting` (100) and `longestWait` (30 s)",
      .value { ConcurrencyLimit.defaultLongestWait == .seconds(30) && ConcurrencyLimit(1).maxWaiting == 100 }),
    reactive(
      "PolicyTuning", "grows while calls take up to half as long again as usual",
      .value { LimitAdaptation.gradient(within: 1...2).tolerance == 1.5 }),
    reactive(
      "PolicyTuning", "the breaker opens after 60 s",
      .code("probeTimeout: Duration = .seconds(60)", in: "Sources/NetworkCore/Policies/CircuitBreaker.swift")),
    reactive(
      "PolicyTuning", "Above 1,024 origins",
      .code("capacity: Int = 1_024", in: "Sources/NetworkCore/Policies/PerOrigin.swift")),
    reactive(
      "PolicyTuning", "| 429 | a success:",
      .test(
        "429 is no failure of the server, unless the closure says so",
        in: "Tests/NetworkCoreProviderTests/Policies/CircuitBreakerTests.swift")),
    reactive(
      "UploadsAndDownloads", "at most 60 times a second",
      .code("1.0 / 60", in: "Sources/NetworkCore/Provider/Requests/ProgressThrottle.swift")),
    reactive(
      "UploadsAndDownloads", "makes the server wait after 256 KiB",
      .code("highWaterMark = 256 << 10", in: "Sources/NetworkCore/Streams/BodyBuffer.swift")),
    reactive(
      "UploadsAndDownloads", "may have up to 256 MiB after decoding",
      .value { NetworkProvider<API>().memoryBodyLimit == 256 << 20 }),
  ]

  private static let webSockets: [Claim] = [
    reactive("WebSockets", "| `offersCompression` | yes |", .value { WebSocketOptions().offersCompression }),
    reactive(
      "WebSockets", "| `messageLimit` | 16 MiB |", .value { WebSocketOptions().messageLimit == 16 << 20 }),
    reactive(
      "WebSockets", "| `sendQueueLimit` | 16 MiB |", .value { WebSocketOptions().sendQueueLimit == 16 << 20 }),
    reactive(
      "WebSockets", "| `openTimeout` | 60 s |", .value { WebSocketOptions().openTimeout == .seconds(60) }),
    reactive(
      "WebSockets", "| `pingInterval` | 30 s |", .value { WebSocketOptions().pingInterval == .seconds(30) }),
    reactive(
      "WebSockets", "| `closeTimeout` | 5 s |", .value { WebSocketOptions().closeTimeout == .seconds(5) }),
    reactive(
      "WebSockets", "up to 256 KiB of messages are buffered",
      .code("highWaterMark = 256 << 10", in: "Sources/NetworkCore/WebSocket/WebSocketState.swift")),
  ]

  private static let others: [Claim] = [
    Claim(
      document: "Documentation/Architecture.md", sentence: "126 checks on a real server",
      witness: .value { TransportContract.Check.all.count == 126 }),
    Claim(
      document: "Documentation/Architecture.md", sentence: "300 programs are part of the tests",
      witness: .test(
        "300 programs keep every promise, by the servers' logs",
        in: "Tests/ReactiveNetworkTests/Compositions/CompositionTests.swift")),
    Claim(
      document: machinery, sentence: "After 64 of them",
      witness: .code("eventsPerTurn: Int { 64 }", in: handover)),
    Claim(
      document: machinery, sentence: "sleeps for 50 microseconds",
      witness: .code("pause: UInt32 = 50", in: handover)),
    reactive(
      "RunAsAService", "30 s for a request with its retries",
      .code("requestLimit = Duration.seconds(30)", in: "Examples/Watcher/Watcher.swift")),
    reactive(
      "RunAsAService", "and 10 s more",
      .code("requestLimit + .seconds(10)", in: "Examples/Watcher/Health.swift")),
    reactive(
      "RunAsAService", "With `WatchdogSec=30`",
      .code("WatchdogSec=30", in: "Examples/Watcher/watcher.service")),
    reactive(
      "RunAsAService", "except after status 2",
      .code("RestartPreventExitStatus=2", in: "Examples/Watcher/watcher.service")),
    Claim(
      document: "Documentation/Comparison.md", sentence: "keeps the contract's 126 checks",
      witness: .value { TransportContract.Check.all.count == 126 }),
    Claim(
      document: "Documentation/Comparison.md", sentence: "RxSwift's, except 58 with reasons",
      witness: .value {
        try Document("Tests/RxLiteTests/Vectors/deviations.tsv").text.split(separator: "\n")
          .count { !$0.hasPrefix("#") } == 58
      }),
    Claim(
      document: "CONTRIBUTING.md", sentence: "on 4,065 random pipelines",
      witness: .code("count = 4_065", in: "Tests/RxLiteTests/Oracle/OracleTests.swift")),
    Claim(
      document: "CONTRIBUTING.md", sentence: "At most 16 tests run at a time",
      witness: .code(#"_WIDTH", "16""#, in: "Tests/TestParallelism/TestParallelism.c")),
    Claim(
      document: "README.md", sentence: "`// swift-tools-version: 6.1`",
      witness: .code("// swift-tools-version: 6.1", in: "Package.swift")),
    network("HTTP2AndHTTP3", "six times during 6,000 POSTs", .code("count = 6_000", in: reloads)),
    network(
      "HTTP2AndHTTP3", "nginx reloads six times", .test("while nginx is reloaded six times", in: reloads)),
  ]

  private static let machinery = "Documentation/MachineryOfRxLite.md"
  private static let handover = "Sources/RxLite/Machinery/Delivery/DeliveryHandover.swift"
  private static let reloads = "Tests/NetworkCoreCurlTests/ServerReloadTests.swift"
}
