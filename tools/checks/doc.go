// Package checks pins the tools that check the code. It is a separate module,
// so that the program does not depend on them:
//
//   - gotestsum runs the tests and records the events for the summary
//   - staticcheck is the linter; its rules are in the Makefile
//   - govulncheck finds known vulnerabilities in called code
//
// Run one with go -C tools/checks tool NAME.
package checks
