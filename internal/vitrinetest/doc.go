// Package vitrinetest holds the ports' contracts in a form that runs: one suite a port, which every backend passes; and what
// tests of the services need: a clock that stands still, and faults.
package vitrinetest
