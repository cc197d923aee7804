package tez

import (
	"regexp"
	"strings"

	"github.com/paratimer/paratimer/adapters/hadoop"
)

const causedBy = "Caused by: "

// preamble is what Tez puts before what a task threw.
var preamble = regexp.MustCompile(`^Error: (Node: \S+ : )?Error while running task \( failure \) : (attempt_\w+:)?`)

// reason is why an attempt failed, out of what Tez says of it: the innermost cause of an exception. What a task threw
// first is the engine's own wrapper, whose names alone fill a line.
func reason(said string) string {
	cause := preamble.ReplaceAllString(said, "")
	for line := range strings.Lines(said) {
		if inner, is := strings.CutPrefix(strings.TrimSpace(line), causedBy); is {
			cause = inner
		}
	}
	return hadoop.FirstLine(cause)
}

// What Tez puts before the reason of the vertex that ended its DAG, and the ids in the reason.
var (
	vertexFailed = regexp.MustCompile(
		`^Vertex (failed|killed), vertexName=(.*?), vertexId=vertex_\w+, diagnostics=\[(Vertex vertex_\w+ \[.*?\] killed/failed due to:)?`)
	vertexID = regexp.MustCompile(`, vertex=vertex_\w+ \[[^]]*\]`)
)

// dagReason is why a DAG failed, out of what Tez says of it: the vertex, and what that says before a stack trace.
func dagReason(said string) string {
	said, _, _ = strings.Cut(said, "\n\tat ")
	said = vertexID.ReplaceAllString(vertexFailed.ReplaceAllString(said, "$2: "), "")
	return hadoop.FirstLine(strings.ReplaceAll(strings.TrimSpace(said), "\n", ", "))
}
