// Package session runs the program as its users do, for the packages of tests beside it: with an environment, streams,
// and clusters that are played.
package session
