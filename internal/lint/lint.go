// Package lint has tests that hold the whole repository to its rules: what a
// folder may import, how large a unit may be, why a module is used, and how
// code, comments and documentation are written. It has no code of its own.
package lint
