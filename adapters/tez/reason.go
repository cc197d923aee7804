package tez

import (
	"regexp"
	"strings"

	"github.com/paratimer/paratimer/adapters/internal/loose"
)

const causedBy = "Caused by: "

// preamble matches the text that Tez puts before a task's exception.
var preamble = regexp.MustCompile(`^Error: (Node: \S+ : )?Error while running task \( failure \) : (attempt_\w+:)?`)

// reason returns why an attempt failed, from Tez' diagnostics: the innermost cause of an exception. The outer
// exceptions are wrappers of the engine with names that fill a line.
func reason(said string) string {
	cause := preamble.ReplaceAllString(said, "")
	for line := range strings.Lines(said) {
		if inner, is := strings.CutPrefix(strings.TrimSpace(line), causedBy); is {
			cause = inner
		}
	}
	return loose.FirstLine(cause)
}

// The text that Tez puts before the reason of the vertex that ended the DAG, and the ids in the reason.
var (
	vertexFailed = regexp.MustCompile(
		`^Vertex (failed|killed), vertexName=(.*?), vertexId=vertex_\w+, diagnostics=\[(Vertex vertex_\w+ \[.*?\] killed/failed due to:)?`)
	vertexID = regexp.MustCompile(`, vertex=vertex_\w+ \[[^]]*\]`)
)

// dagReason returns why a DAG failed, from Tez' diagnostics: the vertex and its message without a stack trace.
func dagReason(said string) string {
	said, _, _ = strings.Cut(said, "\n\tat ")
	said = vertexID.ReplaceAllString(vertexFailed.ReplaceAllString(said, "$2: "), "")
	return loose.FirstLine(strings.ReplaceAll(strings.TrimSpace(said), "\n", ", "))
}
