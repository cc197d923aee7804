//go:build !race

package sinks_test

const raceEnabled = false
