import Foundation
import Testing
import VersoTestSupport

@testable import Verso

/// Whatever people, clocks, networks and kills do, all devices meet, and no line is lost.
@Suite struct ConvergenceWalkTests {
  private struct Report: Sendable {
    var tally = FleetWalk.Tally()
    var failures: [UInt64: String] = [:]
    var walks = 0
  }

  @Test func `many devices that do random things meet in the end, and nothing is lost`()
    async throws
  {
    let all = seeds(isFullRun ? 1000 : 50)
    let report = Locked(Report())
    await withTaskGroup(of: Void.self) { group in
      let rest = Locked(all[...])
      for _ in 0..<4 {
        group.addTask {
          await Self.onThread {
            while let seed = rest.withLock({ $0.popFirst() }) { Self.walk(seed, report) }
          }
        }
      }
    }
    let found = report.withLock { $0 }
    for (seed, failure) in found.failures.sorted(by: { $0.key < $1.key }) {
      Issue.record("walk it again with VERSO_SEEDS=\(seed): \(failure)")
    }
    let tally = found.tally
    print("\(found.walks) walks: \(tally)")
    #expect(found.walks == all.count)
    if all.count < 50 { return }
    #expect(tally.merges * 5 >= tally.syncs, "too few syncs merged: \(tally)")
    #expect(tally.conflicts * 20 >= tally.syncs, "too few syncs found a conflict: \(tally)")
    #expect(tally.kills > all.count / 2 && tally.disturbances > all.count / 10, "\(tally)")
  }

  private static func walk(_ seed: UInt64, _ report: Locked<Report>) {
    var failure: String?
    do {
      let walk = try FleetWalk(seed: seed)
      do { try walk.run() } catch { failure = "\(error)" }
      if !walk.problems.isEmpty { failure = walk.problems.joined(separator: "\n") }
      if let text = failure {
        failure = "\(walk.fleet.devices.count) devices: \(text)"
        if ProcessInfo.processInfo.environment["VERSO_SEEDS"] != nil {
          print(walk.log.joined(separator: "\n"))
        }
      }
      let tally = walk.tally
      report.withLock { $0.tally += tally }
    } catch { failure = "at the start: \(error)" }
    report.withLock { [failure] report in
      report.walks += 1
      if let failure { report.failures[seed] = failure }
    }
  }

  /// Runs something that blocks on a thread of its own.
  private static func onThread(_ body: @escaping @Sendable () -> Void) async {
    await withCheckedContinuation { continuation in
      let thread = Thread {
        body()
        continuation.resume()
      }
      thread.stackSize = 16 << 20
      thread.start()
    }
  }
}
