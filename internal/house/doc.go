// Package house holds the tests of the architecture: which package may import which, and who may read a clock.
// DESIGN.md draws the same arrows for people.
package house
