// Package sinks is where alerts go: Alertmanager, a webhook, a command, the terminal's bell, or only to paper.
//
// None of their errors, keys or previews holds a secret: of a URL, only the scheme and the host are ever shown.
package sinks
