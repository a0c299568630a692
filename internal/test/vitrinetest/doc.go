// Package vitrinetest has helpers for tests of several packages: a clock,
// directories, test data, real servers, and Firefox.
package vitrinetest
