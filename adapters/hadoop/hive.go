package hadoop

import (
	"cmp"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/paratimer/paratimer/dag"
)

// Hive writes the same workflow properties as Pig, with other contents (docs/facts/hadoop.md C4). The id is "hive_"
// and the query's id. The name is the query's whole text. Nodes are the plan's stages, also those without a
// MapReduce job.

// hiveID reports whether a workflow's id is Hive's.
func hiveID(workflow string) bool { return strings.HasPrefix(workflow, "hive_") }

// stageName matches what Hive puts after a query's text to name a stage's job.
var stageName = regexp.MustCompile(`\s*\(Stage-\d+\)$`)

// scriptName returns the part of the name that the applications of one script or query share.
func scriptName(app string) string {
	if !strings.HasSuffix(app, ")") {
		return app // most are not Hive's, and there may be many
	}
	return stageName.ReplaceAllString(app, "")
}

// WorkflowTitle returns a workflow's name for display. Hive's name is the whole query; then it is the query's
// title.
func WorkflowTitle(id, name string) string {
	if hiveID(id) {
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
	query := scriptName(name)
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

// withoutOwn removes stages that Hive runs without a job from a query's graph. Their successors then follow their
// predecessors. A stage is known to have no job once a later stage has one. Stage-0 and all stages after it have
// none if other stages come first: that is Hive's number for the stage that moves or fetches the result.
func withoutOwn(succ map[string][]string, submitted map[string]bool) map[string][]string {
	pred := map[string][]string{}
	for from, to := range succ {
		for _, n := range to {
			pred[n] = append(pred[n], from)
		}
	}
	own := map[string]bool{}
	if len(pred["Stage-0"]) > 0 {
		own = reach(succ, "Stage-0")
	}
	for n := range submitted {
		for p := range reach(pred, n) {
			own[p] = true
		}
	}
	out := map[string][]string{}
	for from := range succ {
		if own[from] && !submitted[from] {
			continue
		}
		var to []string
		for seen, left := map[string]bool{}, slices.Clone(succ[from]); len(left) > 0; {
			n := left[0]
			left = left[1:]
			if seen[n] {
				continue
			}
			seen[n] = true
			if own[n] && !submitted[n] {
				left = append(left, succ[n]...)
				continue
			}
			to = append(to, n)
		}
		slices.Sort(to)
		out[from] = to
	}
	return out
}

// reach returns a name and all names that next leads to from it.
func reach(next map[string][]string, from string) map[string]bool {
	seen := map[string]bool{}
	for left := []string{from}; len(left) > 0; {
		n := left[len(left)-1]
		left = left[:len(left)-1]
		if !seen[n] {
			seen[n] = true
			left = append(left, next[n]...)
		}
	}
	return seen
}

// serial orders a Hive query's stages as Hive runs them: one after the other, unless hive.exec.parallel is set.
// Submitted stages come first, in the order of submission, then the others in graph order. A failed stage ends the
// query, so it is right that all later stages depend on it.
func (g *graph) serial(from int) {
	var order []int
	for i := from; i < len(g.nodes); i++ {
		order = append(order, i)
	}
	slices.SortStableFunc(order, func(a, b int) int {
		ja, jb := g.nodes[a].job, g.nodes[b].job
		switch {
		case ja == nil && jb == nil:
			return 0
		case ja == nil:
			return 1
		case jb == nil:
			return -1
		}
		return byID(ja.app, jb.app)
	})
	was := slices.Clone(g.nodes)
	at := map[int]int{}
	for k, i := range order {
		at[i] = from + k
	}
	for k, i := range order {
		n := was[i]
		after := make([]int, 0, len(n.after)+1)
		for _, p := range n.after {
			if q, ours := at[p]; ours {
				p = q
			}
			if p < from+k {
				after = append(after, p)
			}
		}
		if k > 0 && !slices.Contains(after, from+k-1) {
			after = append(after, from+k-1)
		}
		slices.Sort(after)
		n.after = after
		g.nodes[from+k] = n
	}
}
