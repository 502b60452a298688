// swift-tools-version: 6.1
import PackageDescription

// `Lock` is backed by `pthread_mutex` under the thread sanitizer, which cannot see through
// `Synchronization.Mutex` on Linux (see CONTRIBUTING.md).
let lockSettings: [SwiftSetting] =
  Context.environment["TSAN_LOCKS"] == nil ? [] : [.define("TSAN_LOCKS")]

let features: [SwiftSetting] = [
  .enableUpcomingFeature("ExistentialAny"),
  .enableUpcomingFeature("InternalImportsByDefault"),
  .enableUpcomingFeature("MemberImportVisibility"),
]
let settings: [SwiftSetting] = [.swiftLanguageMode(.v6)] + features

// Tests that drive a pipeline on one thread collect its events in captured variables. Swift 6 mode warns
// about each of them; see `Tests/Isolation` for what both modes say about pipelines.
let capturing: [SwiftSetting] =
  [
    .swiftLanguageMode(.v5), .enableUpcomingFeature("BareSlashRegexLiterals"),
    .enableUpcomingFeature("InferSendableFromCaptures"),
  ] + features

/// A test target; `ReactiveNetworkTestParallelism` limits how many of its tests run at a time.
func tests(
  _ name: String, _ dependencies: [Target.Dependency], resources: [Resource] = [],
  _ settings: [SwiftSetting] = settings
) -> Target {
  .testTarget(
    name: name, dependencies: dependencies + ["ReactiveNetworkTestParallelism"], resources: resources,
    swiftSettings: settings)
}

/// The modules with the names of other libraries.
let compatibility: [Target.Dependency] = [
  "MoyaCompatibility", "MicroyaCompatibility", "ObjectMapperCompatibility", "ReactiveSwiftCompatibility",
]

/// What the tests of requests have in common.
let network: [Target.Dependency] = [
  "NetworkCore", "LoopbackServer", "TransportTesting", "ReactiveNetworkLock", "ReactiveNetworkChildProcess",
  "NetworkCoreTestSupport",
]

/// The programs in `Examples`.
let programs = ["Typeahead", "Watcher", "Downloader", "Uploader", "Storm", "Chat", "Ask"]

// Target names are unique in a package graph, so those of targets that are neither products nor tests contain
// the name of the package or of its product.
let package = Package(
  name: "ReactiveNetwork",
  platforms: [.macOS(.v15), .iOS(.v18), .tvOS(.v18), .watchOS(.v11), .visionOS(.v2)],
  products: [
    .library(name: "RxLite", targets: ["RxLite"]),
    .library(name: "RxLiteTesting", targets: ["RxLiteTesting"]),
    .library(name: "NetworkCore", targets: ["NetworkCore"]),
    .library(name: "NetworkWaterfall", targets: ["NetworkWaterfall"]),
    .library(name: "ReactiveNetwork", targets: ["ReactiveNetwork"]),
    .library(name: "LoopbackServer", targets: ["LoopbackServer"]),
    .library(name: "TransportTesting", targets: ["TransportTesting"]),
    .library(name: "MainLoops", targets: ["MainLoops"]),
    .library(name: "MoyaCompatibility", targets: ["MoyaCompatibility"]),
    .library(name: "MicroyaCompatibility", targets: ["MicroyaCompatibility"]),
    .library(name: "ObjectMapperCompatibility", targets: ["ObjectMapperCompatibility"]),
    .library(name: "ReactiveSwiftCompatibility", targets: ["ReactiveSwiftCompatibility"]),
  ]
    + programs.map { .executable(name: $0.lowercased(), targets: ["ReactiveNetwork\($0)"]) },
  dependencies: [],
  targets: [
    .target(name: "ReactiveNetworkLock", swiftSettings: settings + lockSettings),
    .target(name: "RxLite", dependencies: ["ReactiveNetworkLock"], swiftSettings: settings),
    .target(name: "RxLiteTesting", dependencies: ["RxLite"], swiftSettings: settings),
    .target(name: "CNetworkCoreCurl", linkerSettings: [.linkedLibrary("dl", .when(platforms: [.linux]))]),
    .target(name: "NetworkCoreTransport", dependencies: ["ReactiveNetworkLock"], swiftSettings: settings),
    .target(
      name: "NetworkCoreCurl",
      dependencies: ["NetworkCoreTransport", "CNetworkCoreCurl", "ReactiveNetworkLock"],
      swiftSettings: settings),
    .target(
      name: "NetworkCore", dependencies: ["NetworkCoreTransport", "NetworkCoreCurl", "ReactiveNetworkLock"],
      swiftSettings: settings),
    .target(
      name: "NetworkWaterfall", dependencies: ["NetworkCore", "ReactiveNetworkLock"], swiftSettings: settings),
    .target(
      name: "ReactiveNetwork", dependencies: ["RxLite", "NetworkCore", "ReactiveNetworkLock"],
      swiftSettings: settings),
    .target(name: "MoyaCompatibility", dependencies: ["ReactiveNetwork"], swiftSettings: settings),
    .target(name: "MicroyaCompatibility", dependencies: ["ReactiveNetwork"], swiftSettings: settings),
    .target(
      name: "ObjectMapperCompatibility", dependencies: ["ReactiveNetwork", "NetworkCore", "RxLite"],
      swiftSettings: settings),
    .target(
      name: "ReactiveSwiftCompatibility",
      dependencies: [
        "ObjectMapperCompatibility", "ReactiveNetwork", "NetworkCore", "RxLite", "ReactiveNetworkLock",
      ],
      swiftSettings: settings),
    .target(name: "CLoopbackServer", linkerSettings: [.linkedLibrary("dl", .when(platforms: [.linux]))]),
    .target(
      name: "LoopbackServer", dependencies: ["CLoopbackServer", "ReactiveNetworkLock"],
      swiftSettings: settings),
    .target(
      name: "TransportTesting",
      dependencies: ["NetworkCoreTransport", "LoopbackServer", "ReactiveNetworkLock"],
      swiftSettings: settings),
    .target(name: "MainLoops", swiftSettings: settings),
    .target(
      name: "ReactiveNetworkExamples",
      dependencies: ["ReactiveNetwork", "NetworkWaterfall", "LoopbackServer", "ReactiveNetworkLock"],
      path: "Examples/Support", swiftSettings: settings),
    .target(
      name: "ReactiveNetworkChildProcess", path: "Tests/ChildProcess", swiftSettings: settings),
    .target(
      name: "NetworkCoreTestSupport",
      dependencies: [
        "NetworkCore", "MoyaCompatibility", "LoopbackServer", "TransportTesting", "ReactiveNetworkLock",
        "ReactiveNetworkChildProcess",
      ],
      path: "Tests/NetworkCoreSupport", swiftSettings: settings),
    .target(
      name: "RxLiteTestSupport", dependencies: ["RxLite", "RxLiteTesting", "ReactiveNetworkLock"],
      path: "Tests/RxLiteSupport", swiftSettings: capturing),
    .target(name: "ReactiveNetworkTestParallelism", path: "Tests/TestParallelism"),
    .target(
      name: "ReactiveNetworkCompositions",
      dependencies: ["ReactiveNetwork", "LoopbackServer", "ReactiveNetworkLock"], path: "Tests/Compositions",
      swiftSettings: settings),
    .executableTarget(
      name: "ReactiveNetworkCompositionStorm", dependencies: ["ReactiveNetworkCompositions"],
      path: "Tests/CompositionStorm", exclude: ["prove"], swiftSettings: settings),
    .executableTarget(
      name: "ReactiveNetworkAutobahn", dependencies: ["NetworkCore"], path: "Tests/Autobahn",
      exclude: ["check", "install"], swiftSettings: settings),
    .executableTarget(
      name: "ReactiveNetworkMainLoopProgram", dependencies: ["MainLoops", "RxLite"],
      path: "Tests/MainLoopProgram", swiftSettings: settings),
    tests("ReactiveNetworkLockTests", ["ReactiveNetworkLock"]),
    tests(
      "MainLoopsTests", ["MainLoops", "ReactiveNetworkMainLoopProgram", "ReactiveNetworkChildProcess"]),
    tests(
      "RxLiteTests", ["RxLite", "RxLiteTesting", "RxLiteTestSupport", "ReactiveNetworkLock"],
      resources: [.copy("Vectors")], capturing),
    tests(
      "RxLiteOperatorTests", ["RxLite", "RxLiteTesting", "RxLiteTestSupport", "ReactiveNetworkLock"],
      capturing),
    tests("RxLiteTestingTests", ["RxLiteTesting"], capturing),
    tests("NetworkCoreTransportTests", network),
    tests("NetworkCoreCurlTests", network),
    tests("NetworkCoreProviderTests", network + compatibility),
    tests(
      "NetworkCoreTests", network + ["NetworkWaterfall"] + compatibility, resources: [.copy("Vectors")]),
    tests(
      "ReactiveNetworkTests",
      [
        "ReactiveNetwork", "RxLiteTesting", "LoopbackServer", "ReactiveNetworkLock",
        "ReactiveNetworkCompositions",
      ] + compatibility, capturing
    ),
    tests(
      "ExampleTests",
      [
        "ReactiveNetworkExamples", "NetworkCore", "LoopbackServer", "ReactiveNetworkLock",
        "ReactiveNetworkChildProcess",
      ]
        + programs.map { .byName(name: "ReactiveNetwork\($0)") }),
    tests(
      "DocumentationTests",
      [
        "ReactiveNetwork", "NetworkWaterfall", "RxLiteTesting", "LoopbackServer", "TransportTesting",
        "MainLoops", "ReactiveNetworkLock",
      ] + compatibility),
    tests("LoopbackServerTests", ["LoopbackServer"]),
  ]
    + programs.map { name in
      .executableTarget(
        name: "ReactiveNetwork\(name)",
        dependencies: [
          "ReactiveNetworkExamples", "ReactiveNetwork", "NetworkWaterfall", "LoopbackServer",
          "ReactiveNetworkLock",
        ],
        path: "Examples/\(name)",
        exclude: name == "Watcher" ? ["watcher.service", "watcher.json", "Containerfile"] : [],
        swiftSettings: settings)
    }
)
