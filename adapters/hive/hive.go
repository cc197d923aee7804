// Package hive has the names that Hive gives to workflows and applications (docs/facts/hadoop.md C4). A workflow's
// name is the query's whole text, whose literals may be confidential.
package hive

import (
	"cmp"
	"regexp"
	"strings"
	"unicode/utf8"

	"github.com/paratimer/paratimer/dag"
)

// Is reports whether a workflow's id is Hive's: "hive_" and the query's id.
func Is(workflow string) bool { return strings.HasPrefix(workflow, "hive_") }

// stageName matches what Hive puts after a query's text to name a stage's job.
var stageName = regexp.MustCompile(`\s*\(Stage-\d+\)$`)

// Script returns the part of the name that the applications of one script or query share.
func Script(app string) string {
	if !strings.HasSuffix(app, ")") {
		return app // most are not Hive's, and there may be many
	}
	return stageName.ReplaceAllString(app, "")
}

// WorkflowTitle returns a workflow's name for display. Hive's name is the whole query; then it is the query's
// title.
func WorkflowTitle(id, name string) string {
	if Is(id) {
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

// IsStage reports whether Hive made the name: the query, cut in the middle, and the stage.
func IsStage(name string) bool { return stageName.MatchString(name) }

// JobTitle returns an application's name for display. It cleans a name that is not Hive's, and removes the literals
// from Hive's. Hive cuts a long query in the middle, perhaps within a literal; what comes after the cut is left
// out.
func JobTitle(name string) string {
	stage := strings.TrimSpace(stageName.FindString(name))
	if stage == "" {
		return dag.Clean(name)
	}
	query := Script(name)
	if begin, _, cut := strings.Cut(query, "..."); cut {
		query = begin + "…"
	}
	return cmp.Or(QueryTitle(query), "query") + " " + stage
}

// Unquoted replaces each quoted string of a query by "…", since its values may be confidential. A quote that is not
// closed reaches to the end.
func Unquoted(s string) string {
	var b strings.Builder
	for i := 0; i < len(s); {
		c := s[i]
		if c != '\'' && c != '"' {
			_, n := utf8.DecodeRuneInString(s[i:])
			b.WriteString(s[i : i+n])
			i += n
			continue
		}
		for i++; i < len(s) && s[i] != c; i++ {
			if s[i] == '\\' {
				i++
			}
		}
		i++
		b.WriteByte(c)
		b.WriteString("…")
		b.WriteByte(c)
	}
	return b.String()
}
