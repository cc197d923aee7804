// Package names tests that every source cleans text from outside. The test puts hostile names into every text of a
// source's input, and checks every string of its plans and snapshots.
package names
