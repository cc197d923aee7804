package frame

import "regexp"

// inCore matches the names of packages by which errors of the core begin, which readers do not know.
var inCore = regexp.MustCompile(
	`(^|: )(?:(?:schedule|pathfrag|attribution|estimators|observed|nearestfit|queueing|simulation|whatif|profiles|dag): )+`)

// Reason is an error in words for people: without the names of packages of the core.
func Reason(err error) string { return inCore.ReplaceAllString(err.Error(), "$1") }
