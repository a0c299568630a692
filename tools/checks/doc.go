// Package checks pins the tools that check the code, in a module of its own so
// that the program depends on none of them:
//
//   - gotestsum runs the tests and keeps the events that the summary reads
//   - staticcheck is the linter; its rules are in staticcheck.conf at the root
//   - govulncheck looks for known vulnerabilities in what the program calls
//
// Run one with go -C tools/checks tool NAME.
package checks
