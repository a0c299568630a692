// Package vitrinetest has helpers for tests of several packages: a clock,
// directories, test data, and real servers.
//
// Each port has a package below this one with the suite that every backend must
// pass. Package fault makes their operations fail.
package vitrinetest
