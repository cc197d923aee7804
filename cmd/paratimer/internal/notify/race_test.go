//go:build race

package sinks_test

const raceEnabled = true
