import Foundation
import Testing
import VersoGit
import VersoModel
import VersoSync
import VersoTestSupport

/// What devices do to one another, and what everybody must have in the end.
struct Scenario: Decodable, CustomStringConvertible {
  enum Content: Decodable {
    case text(String)
    case file(kind: String, text: String?, hex: String?)

    private enum Key: CodingKey { case kind, text, hex }

    init(from decoder: any Decoder) throws {
      if let text = try? decoder.singleValueContainer().decode(String.self) {
        self = .text(text)
        return
      }
      let fields = try decoder.container(keyedBy: Key.self)
      self = .file(
        kind: try fields.decode(String.self, forKey: .kind),
        text: try fields.decodeIfPresent(String.self, forKey: .text),
        hex: try fields.decodeIfPresent(String.self, forKey: .hex))
    }

    var file: MergeDesk.File {
      switch self {
      case .text(let text): return .init(text)
      case .file(let kind, let text, let hex):
        let kinds: [String: Item.Kind] = ["f": .file, "x": .executable, "l": .link]
        var bytes = Array((text ?? "").utf8)
        if let hex {
          let digits = Array(hex)
          bytes = stride(from: 0, to: digits.count, by: 2).compactMap {
            UInt8(String(digits[$0...($0 + 1)]), radix: 16)
          }
        }
        return .init(bytes, kind: kinds[kind] ?? .file)
      }
    }
  }

  struct Operation: Decodable {
    let verb: String
    let path: String
    let target: String
    let content: Content?

    init(from decoder: any Decoder) throws {
      var parts = try decoder.unkeyedContainer()
      verb = try parts.decode(String.self)
      path = try parts.decode(String.self)
      target = verb == "move" ? try parts.decode(String.self) : ""
      content = verb == "write" ? try parts.decode(Content.self) : nil
    }
  }

  struct Step: Decodable {
    let device: String?
    let time: Int64?
    let operations: [Operation]?
    let sync: String?
    let other: String?
    let together: [String]?

    private enum CodingKeys: String, CodingKey {
      case device, sync
      case time = "commit_time"
      case operations = "ops"
      case other = "merges_head_of"
      case together = "at_the_same_moment"
    }
  }

  let name: String
  let rule: String
  let unrelated: Bool
  let initial: [String: Content]
  let steps: [Step]
  let expected: [String: Content]
  let merges: Int

  var description: String { "\(name) (\(rule))" }

  private enum CodingKeys: String, CodingKey {
    case name, rule, unrelated, initial, steps, expected
    case merges = "expected_merge_commits"
  }

  static let all: [Scenario] = {
    let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
    let file = folder.appendingPathComponent("Scenarios/merge-scenarios.json")
    do {
      return try JSONDecoder().decode([Scenario].self, from: Data(contentsOf: file))
    } catch { preconditionFailure("\(file.path): \(error)") }
  }()
}

/// The devices of a scenario, their heads, and the remote.
private struct Play {
  let desk: MergeDesk
  let devices: [String]
  var heads: [String: ObjectID] = [:]
  /// Where a device goes back to when its merge was not taken.
  var before: [String: ObjectID] = [:]
  var remote: ObjectID?
  var merges = 0

  init(_ scenario: Scenario) throws {
    desk = try MergeDesk()
    var named = Set(scenario.steps.compactMap(\.device))
    for step in scenario.steps {
      named.formUnion(step.together?.map { String($0.prefix(1)) } ?? [])
    }
    devices = named.sorted()
    if scenario.unrelated { return }
    let first = try desk.save(
      scenario.initial.mapValues(\.file), parents: [], device: "init", at: 1_800_000_000)
    remote = first
    for device in devices { heads[device] = first }
  }

  mutating func run(_ step: Scenario.Step) throws {
    if let together = step.together {
      let pair = together[0].split(separator: " ").map(String.init)
      let merged = try merge(try #require(heads[pair[0]]), try #require(heads[pair[2]]))
      (heads[pair[0]], heads[pair[2]]) = (merged, merged)
      // Two devices made it.
      merges += 1
      return
    }
    let device = try #require(step.device)
    if let other = step.other {
      heads[device] = try merge(try #require(heads[device]), try #require(heads[other]))
    } else if let sync = step.sync {
      try self.sync(device, isLost: sync.hasSuffix("lost"))
    } else {
      try edit(device, step)
    }
  }

  mutating func edit(_ device: String, _ step: Scenario.Step) throws {
    var files = try heads[device].map(desk.files) ?? [:]
    for operation in step.operations ?? [] {
      switch operation.verb {
      case "write": files[operation.path] = operation.content?.file
      case "delete": files[operation.path] = nil
      default:
        for (path, file) in files
        where path == operation.path || path.hasPrefix(operation.path + "/") {
          files[path] = nil
          files[operation.target + path.dropFirst(operation.path.count)] = file
        }
      }
    }
    heads[device] = try desk.save(
      files, parents: heads[device].map { [$0] } ?? [], device: device,
      at: try #require(step.time))
    before[device] = nil
  }

  mutating func sync(_ device: String, isLost: Bool = false) throws {
    if let back = before[device] { heads[device] = back }
    guard let mine = heads[device] else { return heads[device] = remote }
    if let remote {
      let merged = try merge(mine, remote)
      heads[device] = merged
      before[device] = merged == mine || merged == remote ? nil : mine
    }
    if isLost { return }
    remote = heads[device]
    before[device] = nil
  }

  mutating func merge(_ ours: ObjectID, _ theirs: ObjectID) throws -> ObjectID {
    let merged = try desk.merged(ours, theirs)
    if merged != ours, merged != theirs { merges += 1 }
    return merged
  }
}

@Suite struct ScenarioTests {
  @Test(arguments: Scenario.all)
  func `every device ends with what the rules say, and with no more merges than needed`(
    scenario: Scenario
  ) throws {
    var play = try Play(scenario)
    for step in scenario.steps { try play.run(step) }
    for _ in 0..<2 { for device in play.devices { try play.sync(device) } }
    let heads = Set(play.heads.values).union([try #require(play.remote)])
    #expect(heads.count == 1)
    for device in play.devices { try play.sync(device) }
    #expect(Set(play.heads.values).union([try #require(play.remote)]) == heads)
    #expect(try play.desk.files(try #require(play.remote)) == scenario.expected.mapValues(\.file))
    #expect(play.merges == scenario.merges)
  }
}
