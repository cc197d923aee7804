package main

import _ "embed"

// states explains the states of an alert to readers of the tables.
//
//go:embed states.md
var states string
