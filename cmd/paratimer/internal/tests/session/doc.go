// Package session runs the program as its users do, for the test packages beside it: with an environment, streams,
// and simulated clusters.
package session
