// The values of the model are part of this library's face: whoever imports it has them.
@_exported public import VersoModel
