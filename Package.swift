// swift-tools-version: 6.2
import PackageDescription

let strict: [SwiftSetting] = [
  .swiftLanguageMode(.v6),
  .enableUpcomingFeature("InternalImportsByDefault"),
  .enableUpcomingFeature("MemberImportVisibility"),
  .enableUpcomingFeature("ExistentialAny"),
  .treatAllWarnings(as: .error),
]

/// A module of ours; what it may import is exactly what stands in `uses`.
func module(_ name: String, uses: [Target.Dependency] = []) -> Target {
  .target(name: name, dependencies: uses, swiftSettings: strict)
}

/// A module map for a C library that Debian packages.
func library(_ name: String, pkgConfig: String? = nil, debian: String) -> Target {
  .systemLibrary(name: name, pkgConfig: pkgConfig, providers: [.apt([debian])])
}

func tests(of name: String, uses: [Target.Dependency] = []) -> Target {
  .testTarget(
    name: name + "Tests",
    dependencies: [.init(stringLiteral: name), "VersoTestSupport"] + uses,
    exclude: ["VersoCommands"].contains(name)
      ? ["Snapshots"] : ["VersoSync"].contains(name) ? ["Scenarios"] : [],
    swiftSettings: strict)
}

// A release build carries the Swift runtime in the executable: cron machines have none.
let selfContained: [LinkerSetting] = [
  .unsafeFlags(["-static-stdlib"], .when(platforms: [.linux], configuration: .release))
]

let package = Package(
  name: "Verso",
  products: [
    .library(name: "Verso", targets: ["Verso"]),
    .library(name: "VersoSplitView", targets: ["VersoSplitView"]),
    .executable(name: "verso", targets: ["verso"]),
  ],
  targets: [
    library("CGit2", pkgConfig: "libgit2", debian: "libgit2-dev"),
    library("CNcurses", debian: "libncurses-dev"),
    library("CSQLite", pkgConfig: "sqlite3", debian: "libsqlite3-dev"),
    library("CMarkdown", debian: "libcmark-gfm-extensions-dev"),
    library("CCrypto", pkgConfig: "libcrypto", debian: "libssl-dev"),
    library("CZlib", pkgConfig: "zlib", debian: "zlib1g-dev"),
    .target(name: "CLinux"),
    module("VersoModel", uses: ["CLinux"]),
    module("VersoSplitView"),
    module("VersoDisk", uses: ["CLinux", "VersoModel"]),
    module("VersoGit", uses: ["CGit2", "CCrypto", "CZlib", "CLinux", "VersoModel", "VersoDisk"]),
    module("VersoWatch", uses: ["CLinux", "VersoModel", "VersoDisk"]),
    module("VersoHistory", uses: ["VersoModel", "VersoGit", "CSQLite"]),
    module("VersoSync", uses: ["VersoModel", "VersoGit"]),
    module(
      "Verso",
      uses: [
        "CLinux", "VersoModel", "VersoDisk", "VersoGit", "VersoWatch", "VersoHistory", "VersoSync",
      ]),
    module(
      "VersoCommands",
      uses: ["CLinux", "Verso", "VersoModel", "VersoDisk", "VersoGit", "VersoHistory"]),
    module(
      "VersoBrowser",
      uses: ["CLinux", "Verso", "VersoModel", "VersoSplitView", "CNcurses", "CMarkdown"]),
    .executableTarget(
      name: "verso", dependencies: ["VersoCommands", "VersoBrowser"],
      swiftSettings: strict, linkerSettings: selfContained),
    .executableTarget(
      name: "verso-bench", dependencies: ["Verso", "VersoBrowser", "VersoModel", "CLinux"],
      swiftSettings: strict, linkerSettings: selfContained),

    .target(
      name: "VersoTestSupport",
      dependencies: ["Verso", "VersoModel", "VersoDisk", "VersoGit", "CLinux"],
      path: "Tests/VersoTestSupport", swiftSettings: strict),
    tests(of: "VersoModel"),
    tests(of: "VersoSplitView"),
    tests(of: "VersoDisk", uses: ["VersoModel", "CLinux"]),
    tests(of: "VersoGit", uses: ["VersoModel", "VersoDisk"]),
    tests(of: "VersoWatch", uses: ["VersoModel", "VersoDisk", "CLinux"]),
    tests(of: "VersoHistory", uses: ["VersoModel", "VersoGit"]),
    tests(of: "VersoSync", uses: ["VersoModel", "VersoDisk", "VersoGit"]),
    tests(
      of: "Verso",
      uses: ["VersoModel", "VersoDisk", "VersoGit", "VersoHistory", "VersoWatch", "CLinux"]),
    tests(of: "VersoCommands", uses: ["Verso", "VersoModel", "VersoHistory"]),
    tests(of: "VersoBrowser", uses: ["Verso", "VersoModel", "VersoSplitView", "CLinux"]),
    .testTarget(
      name: "EndToEndTests", dependencies: ["VersoTestSupport", "VersoModel", "CLinux"],
      swiftSettings: strict),
  ]
)
