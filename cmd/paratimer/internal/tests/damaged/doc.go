// Package damaged tests that no command panics on damaged input, and that secrets do not leak.
package damaged
