// swift-tools-version: 6.1
import PackageDescription

// A separate package, so that users of the library never resolve the packages below. If Combine is available,
// the library itself has the publishers, and their target here is empty. The telemetry is examples to copy.
let platforms: [Platform] = [.linux, .android, .windows]
let settings: [SwiftSetting] = [
  .swiftLanguageMode(.v6),
  .enableUpcomingFeature("ExistentialAny"),
  .enableUpcomingFeature("InternalImportsByDefault"),
  .enableUpcomingFeature("MemberImportVisibility"),
  .define("OPENCOMBINE", .when(platforms: platforms)),
]

let package = Package(
  name: "Bridges",
  platforms: [.macOS(.v15), .iOS(.v18), .tvOS(.v18), .watchOS(.v11), .visionOS(.v2)],
  products: [
    .library(name: "ReactiveNetworkOpenCombine", targets: ["ReactiveNetworkOpenCombine"]),
    .library(name: "ReactiveNetworkAsyncHTTPClient", targets: ["ReactiveNetworkAsyncHTTPClient"]),
    .library(name: "ReactiveNetworkServiceLifecycle", targets: ["ReactiveNetworkServiceLifecycle"]),
  ],
  dependencies: [
    .package(name: "ReactiveNetwork", path: ".."),
    .package(url: "https://github.com/OpenCombine/OpenCombine", exact: "0.14.0"),
    .package(url: "https://github.com/apple/swift-log", exact: "1.16.2"),
    .package(url: "https://github.com/apple/swift-metrics", exact: "2.13.0"),
    .package(url: "https://github.com/apple/swift-distributed-tracing", exact: "1.7.3"),
    .package(url: "https://github.com/swift-server/async-http-client.git", from: "1.37.0"),
    .package(url: "https://github.com/swift-server/swift-service-lifecycle.git", from: "2.13.0"),
    .package(url: "https://github.com/apple/swift-nio.git", from: "2.101.2"),
    .package(url: "https://github.com/apple/swift-nio-extras.git", from: "1.35.2"),
    .package(url: "https://github.com/apple/swift-nio-ssl.git", from: "2.37.6"),
  ],
  targets: [
    .target(
      name: "ReactiveNetworkOpenCombine",
      dependencies: [
        .product(name: "NetworkCore", package: "ReactiveNetwork"),
        .product(name: "ReactiveNetwork", package: "ReactiveNetwork"),
        .product(name: "OpenCombine", package: "OpenCombine", condition: .when(platforms: platforms)),
      ],
      swiftSettings: settings),
    .testTarget(
      name: "ReactiveNetworkOpenCombineTests",
      dependencies: [
        "ReactiveNetworkOpenCombine",
        .product(name: "LoopbackServer", package: "ReactiveNetwork"),
        .product(name: "OpenCombineDispatch", package: "OpenCombine", condition: .when(platforms: platforms)),
      ],
      swiftSettings: settings),
    .target(
      name: "ReactiveNetworkAsyncHTTPClient",
      dependencies: [
        .product(name: "NetworkCore", package: "ReactiveNetwork"),
        .product(name: "AsyncHTTPClient", package: "async-http-client"),
        .product(name: "NIOCore", package: "swift-nio"),
        .product(name: "NIOHTTP1", package: "swift-nio"),
        .product(name: "NIOPosix", package: "swift-nio"),
        .product(name: "NIOHTTPCompression", package: "swift-nio-extras"),
        .product(name: "NIOSSL", package: "swift-nio-ssl"),
      ],
      swiftSettings: settings),
    .testTarget(
      name: "ReactiveNetworkAsyncHTTPClientTests",
      dependencies: [
        "ReactiveNetworkAsyncHTTPClient",
        .product(name: "LoopbackServer", package: "ReactiveNetwork"),
        .product(name: "TransportTesting", package: "ReactiveNetwork"),
      ],
      swiftSettings: settings),
    .target(
      name: "ReactiveNetworkServiceLifecycle",
      dependencies: [
        .product(name: "RxLite", package: "ReactiveNetwork"),
        .product(name: "ServiceLifecycle", package: "swift-service-lifecycle"),
      ],
      swiftSettings: settings),
    .testTarget(
      name: "ReactiveNetworkServiceLifecycleTests",
      dependencies: [
        "ReactiveNetworkServiceLifecycle",
        .product(name: "LoopbackServer", package: "ReactiveNetwork"),
        .product(name: "ReactiveNetwork", package: "ReactiveNetwork"),
        .product(name: "RxLite", package: "ReactiveNetwork"),
        .product(name: "Logging", package: "swift-log"),
        .product(name: "ServiceLifecycle", package: "swift-service-lifecycle"),
      ],
      swiftSettings: settings),
    .testTarget(
      name: "ReadmeTests",
      dependencies: [
        "ReactiveNetworkAsyncHTTPClient", "ReactiveNetworkOpenCombine", "ReactiveNetworkServiceLifecycle",
        .product(name: "LoopbackServer", package: "ReactiveNetwork"),
        .product(name: "NetworkCore", package: "ReactiveNetwork"),
        .product(name: "ReactiveNetwork", package: "ReactiveNetwork"),
        .product(name: "RxLite", package: "ReactiveNetwork"),
        .product(name: "Logging", package: "swift-log"),
        .product(name: "OpenCombine", package: "OpenCombine", condition: .when(platforms: platforms)),
        .product(name: "ServiceLifecycle", package: "swift-service-lifecycle"),
        .product(name: "UnixSignals", package: "swift-service-lifecycle"),
      ],
      swiftSettings: settings),
    .target(
      name: "TelemetryExamples",
      dependencies: [
        .product(name: "NetworkCore", package: "ReactiveNetwork"),
        .product(name: "Logging", package: "swift-log"),
        .product(name: "Metrics", package: "swift-metrics"),
        .product(name: "Tracing", package: "swift-distributed-tracing"),
      ],
      swiftSettings: settings),
    .testTarget(
      name: "TelemetryExamplesTests",
      dependencies: [
        "TelemetryExamples",
        .product(name: "LoopbackServer", package: "ReactiveNetwork"),
        .product(name: "Metrics", package: "swift-metrics"),
        .product(name: "MetricsTestKit", package: "swift-metrics"),
        .product(name: "InMemoryTracing", package: "swift-distributed-tracing"),
      ],
      swiftSettings: settings),
  ]
)
