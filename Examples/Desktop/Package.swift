// swift-tools-version: 6.1
import PackageDescription

// A separate package, so that the library builds without GTK.
let package = Package(
  name: "Desktop",
  platforms: [.macOS(.v15)],
  dependencies: [.package(name: "ReactiveNetwork", path: "../..")],
  targets: [
    .systemLibrary(name: "CGTK", pkgConfig: "gtk4", providers: [.apt(["libgtk-4-dev"])]),
    .executableTarget(
      name: "Desktop",
      dependencies: [
        "CGTK",
        .product(name: "ReactiveNetwork", package: "ReactiveNetwork"),
        .product(name: "LoopbackServer", package: "ReactiveNetwork"),
        .product(name: "MainLoops", package: "ReactiveNetwork"),
      ],
      swiftSettings: [.swiftLanguageMode(.v6)]),
  ]
)
