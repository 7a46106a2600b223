package import VersoModel
package struct IgnoreRules: Sendable { package init(parsing bytes: [UInt8], base: RelativePath, ignoringCase: Bool = false) {} }
package struct IgnoreStack: Sendable {
  package init(global: [IgnoreRules]) {}
  package func entering(_ rules: IgnoreRules?) -> IgnoreStack { self }
  package func isIgnored(_ name: UnsafeRawBufferPointer, in folder: RelativePath, isFolder: Bool) -> Bool { false }
}
