package jhist

import (
	"slices"
	"strings"

	"github.com/paratimer/paratimer/dag"
)

// adjacencies reads what JobImpl.getWorkflowAdjacencies writes: "node"="next,next" "node"="next", with quotes and
// backslashes in names escaped by a backslash.
func adjacencies(s string) map[string][]string {
	out := map[string][]string{}
	for {
		from, rest, ok := quoted(strings.TrimLeft(s, " "))
		if !ok || !strings.HasPrefix(rest, "=") {
			break
		}
		to, rest, ok := quoted(rest[1:])
		if !ok {
			break
		}
		from = dag.Clean(from)
		for n := range strings.SplitSeq(to, ",") {
			if n = dag.Clean(strings.TrimSpace(n)); n != "" && !slices.Contains(out[from], n) {
				out[from] = append(out[from], n)
			}
		}
		if out[from] == nil {
			out[from] = []string{}
		}
		s = rest
	}
	if len(out) == 0 {
		return nil
	}
	return out
}

// quoted takes a quoted string off the front of s.
func quoted(s string) (text, rest string, ok bool) {
	if !strings.HasPrefix(s, `"`) {
		return "", s, false
	}
	var b strings.Builder
	for i := 1; i < len(s); i++ {
		switch s[i] {
		case '"':
			return b.String(), s[i+1:], true
		case '\\':
			if i++; i < len(s) {
				b.WriteByte(s[i])
			}
		default:
			b.WriteByte(s[i])
		}
	}
	return "", s, false
}
