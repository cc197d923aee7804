// Package sinks has the targets of alerts: Alertmanager, a webhook, a command, the terminal's bell, or a dry run. It
// also sends OpenLineage events.
//
// No error, key or preview contains a secret: of a URL, only the scheme and the host are shown.
package sinks
