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

// Tests that drive a pipeline on one thread collect its events in captured variables. Swift 6 mode warns about
// each of them; see `Tests/Isolation` for what both modes say about pipelines.
let capturing: [SwiftSetting] =
  [
    .swiftLanguageMode(.v5), .enableUpcomingFeature("BareSlashRegexLiterals"),
    .enableUpcomingFeature("InferSendableFromCaptures"),
  ] + features

/// A test target; `TestWidth` limits how many of its tests run at a time.
func tests(
  _ name: String, _ dependencies: [Target.Dependency], resources: [Resource] = [],
  _ settings: [SwiftSetting] = settings
) -> Target {
  .testTarget(
    name: name, dependencies: dependencies + ["TestWidth"], resources: resources, swiftSettings: settings)
}

/// The programs in `Examples`.
let programs = ["Typeahead", "Watcher", "Downloader", "Uploader", "Storm"]

let package = Package(
  name: "ReactiveNetwork",
  platforms: [.macOS(.v15), .iOS(.v18), .tvOS(.v18), .watchOS(.v11), .visionOS(.v2)],
  products: [
    .library(name: "RxLite", targets: ["RxLite"]),
    .library(name: "RxLiteTesting", targets: ["RxLiteTesting"]),
    .library(name: "NetworkCore", targets: ["NetworkCore"]),
    .library(name: "ReactiveNetwork", targets: ["ReactiveNetwork"]),
    .library(name: "LoopbackServer", targets: ["LoopbackServer"]),
    .executable(name: "typeahead", targets: ["Typeahead"]),
    .executable(name: "watcher", targets: ["Watcher"]),
    .executable(name: "downloader", targets: ["Downloader"]),
    .executable(name: "uploader", targets: ["Uploader"]),
    .executable(name: "storm", targets: ["Storm"]),
  ],
  dependencies: [],
  targets: [
    .target(name: "Locking", swiftSettings: settings + lockSettings),
    .target(name: "RxLite", dependencies: ["Locking"], swiftSettings: settings),
    .target(name: "RxLiteTesting", dependencies: ["RxLite"], swiftSettings: settings),
    .target(name: "CCurl", linkerSettings: [.linkedLibrary("dl", .when(platforms: [.linux]))]),
    .target(name: "NetworkCore", dependencies: ["Locking", "CCurl"], swiftSettings: settings),
    .target(
      name: "ReactiveNetwork", dependencies: ["RxLite", "NetworkCore", "Locking"], swiftSettings: settings),
    .target(name: "LoopbackServer", dependencies: ["Locking"], swiftSettings: settings),
    .target(
      name: "ExampleSupport", dependencies: ["ReactiveNetwork", "NetworkCore", "LoopbackServer", "Locking"],
      path: "Examples/Support", swiftSettings: settings),
    .target(name: "ChildProcess", path: "Tests/ChildProcess", swiftSettings: settings),
    .target(name: "TestWidth", path: "Tests/TestWidth"),
    tests("LockingTests", ["Locking"]),
    tests("RxLiteTests", ["RxLite", "RxLiteTesting", "Locking"], capturing),
    tests("RxLiteTestingTests", ["RxLiteTesting"], capturing),
    tests(
      "NetworkCoreTests", ["NetworkCore", "Locking", "LoopbackServer", "ChildProcess"],
      resources: [.copy("Vectors")]),
    tests(
      "ReactiveNetworkTests", ["ReactiveNetwork", "RxLiteTesting", "LoopbackServer", "Locking"], capturing),
    tests(
      "ExampleTests",
      ["ExampleSupport", "NetworkCore", "LoopbackServer", "Locking", "ChildProcess"]
        + programs.map { .byName(name: $0) }),
    tests("DocumentationTests", ["ReactiveNetwork", "RxLiteTesting", "LoopbackServer", "Locking"]),
    tests("LoopbackServerTests", ["LoopbackServer"]),
  ]
    + programs.map { name in
      .executableTarget(
        name: name,
        dependencies: ["ExampleSupport", "ReactiveNetwork", "NetworkCore", "LoopbackServer", "Locking"],
        path: "Examples/\(name)", swiftSettings: settings)
    }
)
