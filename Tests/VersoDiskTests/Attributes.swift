import CLinux
import Glibc

/// Sets an extended attribute; whether that worked.
func setAttribute(_ name: String, _ value: [UInt8], _ path: String) -> Bool {
  let file = open(path, O_RDONLY | O_CLOEXEC)
  defer { close(file) }
  return value.withUnsafeBytes { verso_set_attribute(file, name, $0.baseAddress, $0.count) } == 0
}

func setAttribute(_ name: String, _ value: String, _ path: String) -> Bool {
  setAttribute(name, Array(value.utf8), path)
}

/// The value of an extended attribute; `nil` where there is none.
func attribute(_ name: String, _ path: String) -> [UInt8]? {
  let file = open(path, O_RDONLY | O_CLOEXEC)
  defer { close(file) }
  var value = [UInt8](repeating: 0, count: 4096)
  let count = value.withUnsafeMutableBytes {
    verso_attribute(file, name, $0.baseAddress, $0.count)
  }
  return count < 0 ? nil : Array(value[..<count])
}
