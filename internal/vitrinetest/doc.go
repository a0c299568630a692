// Package vitrinetest has what tests of several packages need: a clock that
// a test sets, directories, test data, and starters of real servers.
//
// Each port has a package below this one with the suite that every backend
// passes. Package fault fails their operations.
package vitrinetest
