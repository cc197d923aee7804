package frame

import "regexp"

// inCore matches the names of internal packages at the start of errors, which mean nothing to readers.
var inCore = regexp.MustCompile(
	`(^|: )(?:(?:schedule|pathfrag|attribution|estimators|observed|nearestfit|queueing|simulation|whatif|profiles|dag): )+`)

// Reason formats an error for display, without the names of internal packages.
func Reason(err error) string { return inCore.ReplaceAllString(err.Error(), "$1") }
