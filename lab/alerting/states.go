package main

import _ "embed"

// states says how an alert goes, for readers of the tables.
//
//go:embed states.md
var states string
