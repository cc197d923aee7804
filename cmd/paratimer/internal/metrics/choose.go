package metrics

import (
	"cmp"
	"regexp"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/paratimer/paratimer/dag"
)

// A shown is what a scrape sees: one run of each name, in the order in which names came.
type shown struct {
	runs     []run
	watched  int // runs that have not ended
	overflow int // names without series of their own
	observed time.Time
	frames   int
	stale    int
}

// now copies what is to be shown. Of several runs of one name it is the one that ends last. Where there are more names
// than Most, those that came first keep their series: a newcomer takes none away.
func (m *Metrics) now() shown {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.purge(m.opt.Now())
	out := shown{observed: m.observed, frames: m.frames, stale: m.stale}
	last := make(map[string]*run, len(m.names))
	for _, r := range m.runs {
		if r.ended.IsZero() {
			out.watched++
		}
		if before := last[r.name]; before == nil || endsLater(r, before) {
			last[r.name] = r
		}
	}
	for _, r := range last {
		out.runs = append(out.runs, *r)
	}
	slices.SortFunc(out.runs, func(a, b run) int { return cmp.Compare(m.names[a.name], m.names[b.name]) })
	if out.overflow = len(out.runs) - m.opt.Most; out.overflow > 0 {
		out.runs = out.runs[:m.opt.Most]
	}
	out.overflow = max(0, out.overflow)
	return out
}

// endsLater orders runs of one name: one that runs before one that is over, then by the predicted end, then the newer.
func endsLater(a, b *run) bool {
	if a.ended.IsZero() != b.ended.IsZero() {
		return a.ended.IsZero()
	}
	if x, y := a.end(), b.end(); x != y {
		return x > y
	}
	return a.seq > b.seq
}

// end is the predicted end; NoInstant, which is before all others, where it is not known.
func (r *run) end() dag.Instant {
	if at := r.frame.Headline.EndAt; at != nil {
		return at.Instant
	}
	return dag.NoInstant
}

// maxLabel bounds a label's value in bytes: names of queries may be the queries themselves.
const maxLabel = 128

// ids are what makes a name another one in each run: those of applications and jobs, and of Oozie's launchers.
var ids = regexp.MustCompile(`(?:application|job)_\d{6,}_\d{4,}|\d{7}-\d{15}-[\w-]+-[WCB](?:@[\w-]+)?`)

// workflow is the label of a workflow's name. An empty one would be no label, so that a query without a name has one.
func workflow(name *string) string {
	if name == nil || strings.TrimSpace(*name) == "" {
		return "(unnamed)"
	}
	return label(*name)
}

// label makes a value that Prometheus takes, of a bounded length and without ids.
func label(s string) string {
	s = ids.ReplaceAllString(strings.ToValidUTF8(s, "\uFFFD"), "ID")
	if len(s) <= maxLabel {
		return s
	}
	cut := maxLabel - len("…")
	for !utf8.RuneStart(s[cut]) {
		cut--
	}
	return s[:cut] + "…"
}
