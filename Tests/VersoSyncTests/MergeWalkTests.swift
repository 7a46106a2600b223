import Testing
import VersoTestSupport

@Suite struct MergeWalkTests {
  @Test(arguments: [false, true])
  func `devices that edit and merge at random end as one, and no line is lost`(
    isDense: Bool
  ) throws {
    var (merges, conflicts) = (0, 0)
    for seed in seeds(isFullRun ? 4_000 : 100) {
      do {
        let walk = try MergeWalk(seed: seed, isDense: isDense)
        try walk.run()
        merges += walk.merges
        conflicts += walk.conflicts
      } catch {
        Issue.record("seed \(seed), dense \(isDense): \(error)")
      }
    }
    print("\(merges) merges, \(conflicts) with conflicts")
    #expect(conflicts * 20 > merges)
  }
}
