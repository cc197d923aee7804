package tez

import (
	"cmp"
	"fmt"
	"hash/fnv"
	"regexp"
	"strings"

	"github.com/paratimer/paratimer/adapters/hive"
	"github.com/paratimer/paratimer/adapters/internal/loose"
	"github.com/paratimer/paratimer/adapters/pig"
	"github.com/paratimer/paratimer/dag"
)

// A title has the names of a DAG.
type title struct {
	name    string
	query   string // title of the query; "" if that is the name
	queryID string // as Hive gave it; "" if it is not a query
	key     string // identifies a query by its text, whatever its name; "" if it is not a query
	pig     bool   // Pig runs it
}

// hiveQuery matches a query id, which is the DAG's name for a Hive query without a name:
// root_20261122164915_b16fc803-fc1b-4a54-afc5-a2a7709a6272.
var hiveQuery = regexp.MustCompile(`^.*_\d{14}_[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$`)

// IsQuery reports whether a text is the id of a Hive query.
func IsQuery(id string) bool { return hiveQuery.MatchString(id) }

// titleOf returns the title of a DAG. A DAG of a script gets the script's name and, from the second one on, its number
// in the session, which is the same in each run. A query gets its name or else its text without quoted parts.
func titleOf(id string, b *planBody) title {
	name, t := string(b.Name), title{}
	query := ""
	if strings.EqualFold(string(b.Context.Context), "HIVE") {
		t.queryID, _, _ = strings.Cut(string(b.Context.CallerID), "_User:")
		query = hive.QueryTitle(string(b.Context.Description))
		t.key = textKey(string(b.Context.Description))
	}
	switch script, isScript := pig.ScriptOfDAG(name); {
	case isScript:
		t.pig = true
		t.name = dag.Clean(script)
		if n := numberOf(id); n != 1 {
			t.name += fmt.Sprintf(" #%d", n)
		}
	case query != "" && (IsQuery(name) || hive.IsStage(name)):
		t.name = query
	case hive.IsStage(name):
		t.name = hive.JobTitle(name)
	default:
		t.name, t.query = hive.QueryTitle(name), query
	}
	return t
}

// job returns the name of the DAG's job.
func (t *title) job(id string) string { return cmp.Or(t.query, t.name, id) }

var digits = regexp.MustCompile(`[0-9]+`)

// textKey returns the same key for queries that differ only in spaces, quoted texts and numbers. The query of the
// next day, for example, reads a table or a partition of another date.
func textKey(query string) string {
	text := digits.ReplaceAllString(strings.Join(strings.Fields(hive.Unquoted(query)), " "), "0")
	h := fnv.New32a()
	_, _ = h.Write([]byte(strings.ToLower(text))) // a hash accepts all input
	return fmt.Sprintf("%08x", h.Sum32())
}

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
	vertexInReason = regexp.MustCompile(`, vertex=vertex_\w+ \[[^]]*\]`)
)

// dagReason returns why a DAG failed, from Tez' diagnostics: the vertex and its message without a stack trace.
func dagReason(said string) string {
	said, _, _ = strings.Cut(said, "\n\tat ")
	said = vertexInReason.ReplaceAllString(vertexFailed.ReplaceAllString(said, "$2: "), "")
	return loose.FirstLine(strings.ReplaceAll(strings.TrimSpace(said), "\n", ", "))
}
