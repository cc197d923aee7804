// Package naming has the names of engines, and parses the names that Pig and Hive give to workflows, applications and
// DAGs (facts/hadoop.md C4). The name of Hive's workflow is the query's whole text, whose literals may be
// confidential.
package naming

import (
	"cmp"
	"regexp"
	"strings"

	"github.com/paratimer/paratimer/dag"
)

// The engines. A plan without an engine is of MapReduce.
const (
	Tez   = "Tez"
	Spark = "Spark"
)

// Whole returns the engine's names for a plan that it receives as a whole. It returns the zero value for unknown
// engines, and for engines with plans of jobs. Old tapes and plan files contain only the engine's name.
func Whole(name string) dag.Whole { return wholes[name] }

// wholes are the names of the engines with plans that are received as a whole.
var wholes = map[string]dag.Whole{
	Tez:   {Name: "DAG", Part: "vertex", Parts: "vertices"},
	Spark: {Name: "application", Part: "stage", Parts: "stages"},
}

// pigPrefix begins an application's name; the script's file name follows. On Tez, the names of a script's DAGs also
// have the number of their first operator.
const pigPrefix = "PigLatin:"

// IsPig reports whether an application's name is that of a Pig script.
func IsPig(app string) bool { return strings.HasPrefix(app, pigPrefix) }

// PigScript returns the script's file name in an application's name. Names that are not Pig's are returned unchanged.
func PigScript(app string) string { return strings.TrimPrefix(app, pigPrefix) }

// PigApp returns the name of the applications of a script.
func PigApp(script string) string { return pigPrefix + script }

// pigDAG matches the name of a DAG, such as PigLatin:join.pig-0_scope-0.
var pigDAG = regexp.MustCompile(`^` + pigPrefix + `(.*?)(-\d+_scope-\d+)?$`)

// ScriptOfPigDAG returns the script's file name in a DAG's name, or false if the name is not Pig's.
func ScriptOfPigDAG(name string) (script string, is bool) {
	m := pigDAG.FindStringSubmatch(name)
	if m == nil {
		return "", false
	}
	return m[1], true
}

// IsHive reports whether a workflow's id is Hive's: "hive_" and the query's id.
func IsHive(workflow string) bool { return strings.HasPrefix(workflow, "hive_") }

// stageName matches what Hive puts after a query's text to name a stage's job.
var stageName = regexp.MustCompile(`\s*\(Stage-\d+\)$`)

// HiveScript returns the part of the name that the applications of one script or query share.
func HiveScript(app string) string {
	if !strings.HasSuffix(app, ")") {
		return app // most are not Hive's, and there may be many
	}
	return stageName.ReplaceAllString(app, "")
}

// WorkflowTitle returns a workflow's name for display. Hive's name is the whole query; then it is the query's
// title.
func WorkflowTitle(id, name string) string {
	if IsHive(id) {
		return QueryTitle(name)
	}
	return dag.Clean(name)
}

// maxTitle is the longest title of a query, in bytes. Hive names its jobs with 50 characters of the query.
const maxTitle = 80

// QueryTitle returns a short title of a query for display: the first line that is not a comment, without the
// contents of quotes.
func QueryTitle(query string) string {
	for line := range strings.Lines(Unquoted(query)) {
		line = strings.Join(strings.Fields(line), " ")
		if line == "" || strings.HasPrefix(line, "--") {
			continue
		}
		if len(line) > maxTitle {
			line = strings.ToValidUTF8(line[:maxTitle], "") + "…"
		}
		return dag.Clean(line)
	}
	return ""
}

// IsHiveStage reports whether Hive made the name: the query, cut in the middle, and the stage.
func IsHiveStage(name string) bool { return stageName.MatchString(name) }

// JobTitle returns an application's name for display. It cleans a name that is not Hive's, and removes the literals
// from Hive's. Hive cuts a long query in the middle, perhaps within a literal; what comes after the cut is left
// out.
func JobTitle(name string) string {
	stage := strings.TrimSpace(stageName.FindString(name))
	if stage == "" {
		return dag.Clean(name)
	}
	query := HiveScript(name)
	if begin, _, cut := strings.Cut(query, "..."); cut {
		query = begin + "…"
	}
	return cmp.Or(QueryTitle(query), "query") + " " + stage
}

// quoted matches a quoted string. A quote that is not closed reaches to the end.
var quoted = regexp.MustCompile(`(?s)'(?:[^'\\]|\\.)*(?:'|\\?\z)|"(?:[^"\\]|\\.)*(?:"|\\?\z)`)

// Unquoted replaces each quoted string of a query by "…", since its values may be confidential.
func Unquoted(s string) string {
	return quoted.ReplaceAllStringFunc(s, func(q string) string { return q[:1] + "…" + q[:1] })
}
