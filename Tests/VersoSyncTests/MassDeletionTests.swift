import Testing
import VersoSync

@Suite struct MassDeletionTests {
  @Test(arguments: [
    (0, 0, false), (9, 9, false), (4, 10, false), (5, 10, true), (9, 49, false), (24, 49, false),
    (25, 49, true), (9, 50, false), (10, 50, true), (199, 1_000, false), (200, 1_000, true),
    (999, 100_000, false), (1_000, 100_000, true),
  ])
  func `a batch is held from 20 percent of 50, 50 percent of 10, or a thousand files on`(
    deletions: Int, total: Int, isHeld: Bool
  ) {
    #expect(MassDeletion.isSuspicious(deletions: deletions, of: total) == isHeld)
  }
}
