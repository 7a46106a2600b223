import CLinux
import Glibc

/// Tells systemd how a service is doing, where it asks (sd_notify(3), without its library).
///
/// Nothing here fails: a service runs as well with nobody listening. A message waits 0.2 s at most.
package struct ServiceNotifier: Sendable {
  private let address: String?
  /// Seconds between two calls of ``watchdog()``, half of what systemd allows; `nil` where it does
  /// not ask for any.
  package let watchdogInterval: Double?

  /// - Parameters:
  ///   - process: For whom `WATCHDOG_PID` asks.
  ///   - environment: Looks a variable up.
  package init(process: Int32 = getpid(), environment: (String) -> String?) {
    // A path, or a name in the abstract name space; other kinds (vsock) are for virtual machines.
    address = environment("NOTIFY_SOCKET").flatMap { name in
      name.hasPrefix("/") || name.hasPrefix("@") ? name : nil
    }
    let isForUs = environment("WATCHDOG_PID").map { Int32($0) == process } ?? true
    let limit = environment("WATCHDOG_USEC").flatMap { UInt64($0) }.flatMap { $0 > 0 ? $0 : nil }
    watchdogInterval =
      address == nil || !isForUs ? nil : limit.map { Double($0) / 2_000_000 }
  }

  /// Whether anybody listens.
  package var isAsked: Bool { address != nil }

  /// The service has started.
  package func ready() { send("READY=1") }

  /// What it is doing, as one line for people.
  package func status(_ text: String) {
    // A line feed would begin another assignment.
    let line = text.unicodeScalars.map { $0.value < 0x20 || $0.value == 0x7F ? " " : String($0) }
    send("STATUS=\(line.joined())")
  }

  /// It is alive; to be called every ``watchdogInterval`` seconds.
  package func watchdog() { if watchdogInterval != nil { send("WATCHDOG=1") } }

  /// It is about to end.
  package func stopping() { send("STOPPING=1") }

  private func send(_ message: String) {
    guard let address else { return }
    let bytes = Array(message.utf8)
    _ = bytes.withUnsafeBytes { verso_send_datagram(address, $0.baseAddress, $0.count) }
  }
}
