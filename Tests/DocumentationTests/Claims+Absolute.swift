import NetworkCore

/// Sentences with "always", "never" or "only".
extension Claim {
  static let absolute = absoluteOfTransports + absoluteOfRequests + absoluteOfSequences + absoluteOfOthers

  private static func transport(_ name: String, _ file: String) -> Witness {
    .test(name, in: "Tests/NetworkCore\(file).swift")
  }

  private static func rx(_ article: String, _ sentence: String, _ name: String, _ file: String) -> Claim {
    Claim(
      document: "Sources/RxLite/RxLite.docc/\(article).md", sentence: sentence,
      witness: .test(name, in: "Tests/RxLite\(file).swift"))
  }

  private static func moya(_ sentence: String, _ witness: Witness) -> Claim {
    Claim(
      document: "Sources/MoyaCompatibility/MoyaCompatibility.docc/DifferencesFromMoya.md", sentence: sentence,
      witness: witness)
  }

  private static let absoluteOfTransports: [Claim] = [
    network(
      "CacheOnDisk", "whose 304 responses the caller never sees",
      transport("a 304 is not visible", "TransportTests/Cache/CachingTransportTests")),
    network(
      "CacheOnDisk", "are stored in memory only, never in a file",
      transport("personal responses are stored only in memory", "TransportTests/Cache/HTTPCacheTests")),
    network(
      "CacheOnDisk", "Only the current user can read the files",
      transport(
        "responses persist in files that only their user can read", "TransportTests/Cache/HTTPCacheTests")),
    network(
      "Cookies", "Cookies are stored only if configured",
      transport("no cookies are kept by default", "CurlTests/CookieTests")),
    network(
      "Cookies", "a request sends only the cookies in its own `Cookie` field",
      transport("no cookies are kept by default", "CurlTests/CookieTests")),
    network(
      "Cookies", "only the current user can read it",
      transport(
        "a jar in a file outlives its transport and is readable only by its user", "CurlTests/CookieTests")),
    network(
      "Cookies", "Two transports never share cookies",
      transport("and no other transport", "CurlTests/CookieTests")),
    network(
      "Cookies", "The caller sees only the final response",
      transport("Digest takes two requests and delivers one response", "CurlTests/AuthenticationTests")),
    network(
      "HTTP2AndHTTP3", "HTTP/3 is used only if you ask for it",
      transport("without the policy for upgrades, an advertisement is ignored", "CurlTests/HTTP3UpgradeTests")
    ),
    network(
      "HTTP2AndHTTP3", "the next requests to that origin use only HTTP/3",
      transport("after an advertisement, requests go to the service", "CurlTests/HTTP3UpgradeTests")),
    network(
      "LibcurlVersions", "No option that a program has set is ignored",
      transport(
        "options that can be tested in advance make the configuration fail",
        "CurlTests/UnsupportedOptionTests")
    ),
    network(
      "LibcurlVersions", "is repeated only if its method is idempotent",
      transport(
        "a request is sent again if it was not processed, or if it is idempotent",
        "TransportTests/TransferOutcomeTests")),
    network(
      "LibcurlVersions", "A body with a `Content-Length` is always checked",
      transport(
        "a body shorter than its length is truncated, however the connection ends",
        "CurlTests/CloseNotifyTests")),
    network(
      "PolicyLayers", "The same plan always has the same faults",
      transport(
        "equal seeds have the same faults, and another seed has others",
        "TransportTests/Chaos/ChaosTransportTests")),
    network(
      "ResponseGuarantees", "is complete only if the server has confirmed its end",
      transport(
        "a body without a length is truncated if the connection closes without close_notify",
        "CurlTests/CloseNotifyTests")),
    network(
      "ResponseGuarantees", "only to the origin of that URL",
      transport(
        "user and password in a URL are sent as Basic to its host, and nowhere else",
        "TransportTests/URLTests")),
    network(
      "ThreadsAndFiles", "and never two at a time",
      .test(
        "the events of each of many transfers arrive in order, one at a time",
        in: "Tests/NetworkCoreProviderTests/Provider/BlockedCallbackTests.swift")),
    network(
      "ThreadsAndFiles", "only the transfers that need its result wait",
      transport("a redirect closure that blocks delays no other transfer", "CurlTests/BlockedUserCodeTests")),
    network(
      "ThreadsAndFiles", "delays only the requests that use it",
      transport(
        "while the opening of a file blocks, other requests continue", "TransportTests/Body/StalledFileTests")
    ),
    network(
      "ThreadsAndFiles", "never finds its file in use by a download that was just cancelled",
      .test(
        "a cancelled download can be resumed at once",
        in: "Tests/NetworkCoreProviderTests/Downloads/ResumableDownloadTests.swift")),
    network(
      "ThreadsAndFiles", "Requests in flight continue only in the parent",
      transport(
        "in a forked process requests end at once, and the parent's transport continues",
        "CurlTests/ForkTests")),
    network(
      "Transports", "No option that a program has set is ignored",
      transport(
        "options that can be tested in advance make the configuration fail",
        "CurlTests/UnsupportedOptionTests")
    ),
    network(
      "Transports", "Some errors appear only when a host is used",
      transport(
        "a missing option for trust ends each request before anything is sent",
        "CurlTests/UnsupportedOptionTests")),
    network(
      "TrustCertificates", "Only the certificates in that file are then trusted",
      transport(
        "an authority unknown to the system is rejected, and trusted if it is configured",
        "TransportTests/ServerTrustTests")
    ),
    network(
      "TrustCertificates", "Pinned certificates are the only anchors",
      transport(
        "a pinned certificate is the server's or its authority's, known to the system or not",
        "TransportTests/ServerTrustTests")),
    network(
      "TrustCertificates", "but only for the hosts that it is registered for",
      transport("the checks are disabled only for the given host", "TransportTests/ServerTrustTests")),
    network(
      "TrustCertificates", "only the requests to its host wait",
      transport(
        "a trust manager that blocks delays no request to another host", "CurlTests/BlockedUserCodeTests")),
    network(
      "TrustCertificates", "is always the URL's",
      transport("an override replaces name resolution, and the host keeps its name", "CurlTests/AddressTests")
    ),
    network(
      "TrustCertificates", "only for safe methods without a body",
      transport(
        "a GET on a resumed connection is sent as early data, a POST is not", "CurlTests/EarlyDataTests")),
  ]

  private static let absoluteOfRequests: [Claim] = [
    moya(
      "plugins get `process` only",
      .test(
        "a request that is cancelled before it is sent has no didReceive",
        in: "Tests/NetworkCoreTests/Plugin/ActivityPluginTests.swift")),
    moya("retries only idempotent methods", postsOnce),
    Claim(
      document: "Sources/MicroyaCompatibility/MicroyaCompatibility.docc/MigratingFromMicroya.md",
      sentence: "the same, always with a `NetworkError`",
      witness: .code(
        "case noResponseReceived(error: NetworkError)", in: "Sources/NetworkCore/Response/APIError.swift")),
    reactive(
      "Cancellation", "The response to the older one is never delivered",
      .test(
        "flatMapLatest ignores an outdated inner sequence after its successor's first element",
        in: "Tests/RxLiteTests/Contracts/ConcurrencyTests.swift")),
    reactive(
      "ErrorHandling", "A cancelled request always ends with `NetworkError.cancelled`",
      .test(
        "by the transport gives the same error",
        in: "Tests/NetworkCoreProviderTests/Provider/CancelTests.swift")),
    reactive(
      "PolicyTuning", "only requests with idempotent methods are sent twice",
      .test(
        "the idempotent methods are hedged by default",
        in: "Tests/NetworkCoreProviderTests/Policies/HedgingTests.swift")),
    reactive("RetriesAndCredentials", "is repeated only if its method is one of", postsOnce),
    reactive(
      "RetriesAndCredentials", "it repeats only if you pass a rule",
      .test(
        "a POST that a closure subscribes to itself is not repeated unless the caller says so",
        in: "Tests/ReactiveNetworkTests/Workflows/SubscriptionScopeTests.swift")),
    reactive(
      "UploadsAndDownloads", "requests only the rest, if the content is still the same",
      .test(
        "only the missing part is requested, if the content is the same",
        in: "Tests/NetworkCoreProviderTests/Downloads/ResumableDownloadTests.swift")),
    reactive(
      "UploadsAndDownloads", "Only the current user can read the partial file",
      .test(
        "only this user can read a partial file",
        in: "Tests/NetworkCoreProviderTests/Downloads/PartialFilePrivacyTests.swift")),
    reactive(
      "WebSockets", "only ten failures in a row end the sequence",
      .test(
        "an element ends a row of failures if that is asked for",
        in: "Tests/ReactiveNetworkTests/Workflows/RetryBackoffTests.swift")),
    reactive(
      "WebSockets", "only `CurlTransport`, the default on Linux, opens WebSockets",
      .test(
        "a transport that cannot switch protocols refuses before it sends anything",
        in: "Tests/NetworkCoreProviderTests/WebSocket/WebSocketTests.swift")),
  ]

  private static let postsOnce = Witness.test(
    "a POST is not sent again, whatever its error",
    in: "Tests/ReactiveNetworkTests/Workflows/RetriedHTTPMethodTests.swift")

  private static let absoluteOfSequences: [Claim] = [
    rx(
      "CombiningOperators", "elements that can never be paired are dropped",
      "an element that can never be paired is dropped", "OperatorTests/Operators/ZipTests"),
    rx(
      "CombiningOperators", "when the only running source sends an element that cannot be paired",
      "a collection completes when the only running source sends an element",
      "OperatorTests/Operators/ZipTests"),
    rx(
      "ErrorOperators", "events count only between an error and the next attempt",
      "elements of the notifier while the source runs start no attempt",
      "OperatorTests/Operators/RetryWhenTests"),
    rx(
      "TimeOperators", "the source is never subscribed",
      "disposal disposes the source, or prevents its subscription",
      "OperatorTests/Operators/DelaySubscriptionTests"),
    rx(
      "TimeOperators", "measure time with a clock that is never set",
      "a clock set back by an hour does not change when delayed elements arrive",
      "Tests/Contracts/ClockSetBackTests"),
    rx(
      "PortingFromRxSwift", "events of several threads never overlap", "several threads feed one create",
      "Tests/Contracts/ConcurrencyTests"),
    Claim(
      document: "Sources/RxLiteTesting/RxLiteTesting.docc/VirtualTime.md",
      sentence: "whose time passes only when the test advances it",
      witness: .test("a test advances time by hand", in: "Tests/DocumentationTests/VirtualTime.swift")),
  ]

  private static let absoluteOfOthers: [Claim] = [
    Claim(
      document: "Documentation/Architecture.md", sentence: "A target imports only targets below it",
      witness: .test(
        "a target imports only the targets below it",
        in: "Tests/DocumentationTests/TargetDependenciesTests.swift")),
    Claim(
      document: "Documentation/Comparison.md", sentence: "holds a lock while it calls an observer | never |",
      witness: .test(
        "two threads do not deadlock inside a delivery, a subscription or a disposal",
        in: "Tests/RxLiteTests/Contracts/CrossThreadDeadlockTests.swift")),
    Claim(
      document: "Documentation/Comparison.md", sentence: "delivers after disposal | never |",
      witness: .test(
        "nothing arrives after dispose() and the delivery in progress",
        in: "Tests/RxLiteTests/Contracts/ConcurrencyTests.swift")),
    Claim(
      document: "README.md", sentence: "Swift 6.3.1 on Linux is the only toolchain",
      witness: .test(
        "documents, manifests and the container name", in: "Tests/DocumentationTests/ToolchainTests.swift")),
    Claim(
      document: "Bridges/README.md", sentence: "and never delivers more values than were demanded",
      witness: .test(
        "the latest value waits for demand",
        in: "Bridges/Tests/ReactiveNetworkOpenCombineTests/DemandTests.swift")),
  ]
}
