/// What a person's locale says of language and direction.
package struct UserLanguage: Hashable, Sendable {
  /// The code of the language, such as `ja`; empty where none is set.
  package let code: String

  /// Reads the variables in the order of locale(7): `LC_ALL`, `LC_MESSAGES`, `LANG`.
  package init(environment: (String) -> String?) {
    let locale = ["LC_ALL", "LC_MESSAGES", "LANG"].lazy.compactMap(environment).first { $0 != "" }
    code = String((locale ?? "").lowercased().prefix { $0.isASCII && $0.isLetter })
  }

  package init(code: String) { self.code = code }

  /// Languages whose usual script runs from right to left.
  private static let rightToLeft: Set<String> = [
    "ar", "ckb", "dv", "fa", "he", "iw", "ks", "ps", "sd", "ug", "ur", "yi",
  ]

  package var isRightToLeft: Bool { Self.rightToLeft.contains(code) }

  /// The title of a detail without an item.
  package var nothingSelected: String {
    code == "ja" ? "選択されていません" : "Nothing selected"
  }
}
