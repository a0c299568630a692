// Package release pins the tool that generates the bill of materials of a
// release.
package release
