// swift-tools-version: 6.1
import PackageDescription

// The same application with changed import lines; `../check` adds the sources.
let package = Package(
  name: "Porting",
  platforms: [.macOS(.v15)],
  products: [.executable(name: "porting", targets: ["App"])],
  dependencies: [.package(name: "ReactiveNetwork", path: "../..")],
  targets: [
    .executableTarget(
      name: "App",
      dependencies: [
        .product(name: "LoopbackServer", package: "ReactiveNetwork"),
        .product(name: "MoyaCompatibility", package: "ReactiveNetwork"),
        .product(name: "RxLite", package: "ReactiveNetwork"),
      ],
      path: "App", swiftSettings: [.swiftLanguageMode(.v5)]),
    .testTarget(
      name: "AppTests",
      dependencies: [
        "App",
        .product(name: "ReactiveSwiftCompatibility", package: "ReactiveNetwork"),
        .product(name: "RxLiteTesting", package: "ReactiveNetwork"),
      ],
      path: "AppTests", swiftSettings: [.swiftLanguageMode(.v5)]),
  ]
)
