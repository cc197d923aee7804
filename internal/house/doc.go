// Package house contains the tests of the architecture: which package may import which, and which may read a clock.
// DESIGN.md shows the same rules as arrows.
package house
