import Foundation
import Glibc
import Testing
import VersoGit
import VersoModel
import VersoTestSupport

@testable import Verso

/// The merge scenarios, replayed through whole vaults: saved, fetched, merged, written and pushed.
@Suite struct SyncScenarioTests {
  struct Scenario: @unchecked Sendable, CustomStringConvertible {
    let description: String
    let fields: [String: Any]
  }

  static let scenarios: [Scenario] = {
    let file = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
      .deletingLastPathComponent()
      .appendingPathComponent("VersoSyncTests/Scenarios/merge-scenarios.json")
    guard let data = try? Data(contentsOf: file),
      let list = try? JSONSerialization.jsonObject(with: data) as? [[String: Any]]
    else { return [] }
    return list.map { Scenario(description: $0["name"] as? String ?? "?", fields: $0) }
  }()

  @Test func `the scenarios are there`() { #expect(Self.scenarios.count >= 39) }

  @Test(arguments: scenarios)
  func `a scenario ends as it should on every device`(scenario: Scenario) throws {
    let play = try Play(scenario.fields)
    for step in try #require(scenario.fields["steps"] as? [[String: Any]]) { try play.take(step) }
    for _ in 0..<2 {
      for device in play.used { try play.sync(device) }
    }
    #expect(try play.fleet.settle(play.used) == [])
    let wanted = try Play.files(try #require(scenario.fields["expected"] as? [String: Any]))
    for device in play.used { #expect(device.files() == wanted, "\(device.name)") }
    #expect(play.merges == scenario.fields["expected_merge_commits"] as? Int)
  }

  /// A scenario at work.
  private final class Play {
    let fleet: Fleet
    private(set) var used: [Device] = []
    private(set) var merges = 0
    private var snapshots = 0

    init(_ fields: [String: Any]) throws {
      var names = Set(["A", "B"])
      for step in fields["steps"] as? [[String: Any]] ?? [] {
        if let name = step["device"] as? String { names.insert(name) }
      }
      fleet = try Fleet(["init"] + names.sorted())
      used = names.sorted().map { fleet[$0] }
      if fields["unrelated"] as? Bool == true { return }
      let first = fleet["init"]
      first.clock = 1_800_000_000
      for (path, file) in try Self.files(fields["initial"] as? [String: Any] ?? [:]) {
        first.write(file, path)
      }
      try first.sync()
      for device in used {
        device.clock = 1_800_000_000
        try device.sync()
      }
    }

    static func files(_ fields: [String: Any]) throws -> [String: Device.File] {
      try fields.mapValues(file)
    }

    private static func file(_ value: Any) throws -> Device.File {
      if let text = value as? String { return Device.File(kind: .file, bytes: Array(text.utf8)) }
      let fields = try #require(value as? [String: String])
      let kinds: [String: Item.Kind] = ["f": .file, "x": .executable, "l": .link]
      let kind = try #require(kinds[fields["kind"] ?? ""])
      guard let hex = fields["hex"] else {
        return Device.File(kind: kind, bytes: Array((fields["text"] ?? "").utf8))
      }
      let digits = Array(hex)
      let bytes = stride(from: 0, to: digits.count, by: 2).compactMap {
        UInt8(String(digits[$0...($0 + 1)]), radix: 16)
      }
      return Device.File(kind: kind, bytes: bytes)
    }

    func take(_ step: [String: Any]) throws {
      if let both = step["at_the_same_moment"] as? [String] {
        let pairs = both.map { $0.split(separator: " ").map(String.init) }
        let there = try pairs.map { try snapshot(fleet[$0[2]].root) }
        for (pair, there) in zip(pairs, there) { try meet(fleet[pair[0]], there) }
        return
      }
      let device = fleet[try #require(step["device"] as? String)]
      if let other = step["merges_head_of"] as? String {
        return try meet(device, try snapshot(fleet[other].root))
      }
      if let kind = step["sync"] as? String {
        if kind == "fetch+merge+push" { return try sync(device) }
        return try meet(device, try snapshot(fleet.remote))
      }
      device.clock = try #require(step["commit_time"] as? Int64)
      for operation in try #require(step["ops"] as? [[Any]]) {
        let path = try #require(operation[1] as? String)
        switch operation[0] as? String {
        case "write":
          if let folder = Walk.status(of: Array(device.full(path).utf8)),
            folder.st_mode & S_IFMT == S_IFDIR
          {
            rmdir(device.full(path))
          }
          device.write(try Self.file(operation[2]), path)
        case "delete": device.remove(path)
        default: device.move(path, try #require(operation[2] as? String))
        }
      }
      try device.save()
    }

    private func snapshot(_ repository: String) throws -> String {
      snapshots += 1
      let path = fleet.scratch.at("snapshot-\(snapshots).git")
      try run(["git", "clone", "-q", "--bare", repository, path])
      return path
    }

    /// Merges what a snapshot has; nobody else sees the result.
    private func meet(_ device: Device, _ snapshot: String) throws {
      try device.git("config", "verso.remote", snapshot)
      try sync(device)
      try device.git("config", "verso.remote", "origin")
    }

    func sync(_ device: Device) throws {
      let outcome = try device.sync()
      for join in outcome.joins {
        guard let commit = join.commit, commit != join.before else { continue }
        if try device.engine().repository.commit(commit).parents.count == 2,
          outcome.fetched?.to != commit
        {
          merges += 1
        }
      }
    }
  }
}
