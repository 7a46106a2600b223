// swift-tools-version: 6.2
import PackageDescription

let package = Package(
  name: "Embedding",
  dependencies: [.package(name: "Verso", path: "../..")],
  targets: [
    .executableTarget(
      name: "Embedding", dependencies: [.product(name: "Verso", package: "Verso")],
      swiftSettings: [.swiftLanguageMode(.v6)])
  ])
