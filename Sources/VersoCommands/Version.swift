/// The version that `verso --version` prints.
package let versoVersion = "0.1.0"
