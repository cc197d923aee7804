// Package labtest runs the tests of the lab, which is a module of its own, from the program's: `go test ./...` holds
// both.
package labtest
