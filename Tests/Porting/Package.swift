// swift-tools-version: 6.1
import PackageDescription

// An application for Moya and RxSwift. `./check` compiles, tests and runs it against this package after
// changing nothing but its import lines.
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
        .product(name: "NetworkCore", package: "ReactiveNetwork"),
        .product(name: "ReactiveNetwork", package: "ReactiveNetwork"),
        .product(name: "RxLite", package: "ReactiveNetwork"),
      ],
      path: "App", swiftSettings: [.swiftLanguageMode(.v5)]),
    .testTarget(
      name: "AppTests",
      dependencies: ["App", .product(name: "RxLiteTesting", package: "ReactiveNetwork")],
      path: "AppTests", swiftSettings: [.swiftLanguageMode(.v5)]),
  ]
)
