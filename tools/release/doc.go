// Package release pins the tool that lists what a release is made of.
package release
