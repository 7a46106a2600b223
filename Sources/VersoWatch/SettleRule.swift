package import VersoDisk

/// When a changed file may be read: the part of watching that needs no events.
///
/// An event says only "look here". What decides is the file's own state: how long it has been left
/// alone, and whether a program can still write to it.
package struct SettleRule: Hashable, Sendable {
  /// Seconds that a file must have been left alone after it was closed or moved into place.
  package var afterClose = 0.3
  /// Seconds that a file must have been left alone after a write without a close.
  package var afterWrite = 2.0
  /// More seconds for a file that had content and is empty now: truncated, then not written yet.
  package var afterTruncation = 5.0

  package init() {}

  /// What was seen of a path.
  package struct Sighting: Hashable, Sendable {
    /// Seconds since the last event that concerns it.
    package var quiet: Double
    /// Whether the last event said that a writer closed it, or moved it into place.
    package var isClosed: Bool
    package var writers: Writers
    /// Bytes, when it was last saved and now.
    package var savedSize: UInt64
    package var size: UInt64

    package init(
      quiet: Double, isClosed: Bool, writers: Writers, savedSize: UInt64, size: UInt64
    ) {
      self.quiet = quiet
      self.isClosed = isClosed
      self.writers = writers
      self.savedSize = savedSize
      self.size = size
    }
  }

  /// Seconds until the file may be read; 0 for now, `nil` while a writer has it open.
  package func delay(for sighting: Sighting) -> Double? {
    if sighting.writers == .some { return nil }
    var needed = sighting.isClosed ? afterClose : afterWrite
    if sighting.savedSize > 0, sighting.size == 0 { needed += afterTruncation }
    return max(0, needed - sighting.quiet)
  }
}
