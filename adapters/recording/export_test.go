package recording

// ScrubLog and IsLogFile are for tests that need package tez, which imports this one.
var (
	ScrubLog  = scrubLog
	IsLogFile = isLogFile
)
