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

// A shown is what a scrape shows: one run for each name, in the order in which the names came.
type shown struct {
	runs     []run
	watched  int // runs that have not ended
	overflow int // names without their own series
	observed time.Time
	frames   int
	stale    int
	deliver  func() []Delivery
	collect  func() Collected
}

// now copies the data for a scrape. Of several runs with one name it is the one that ends last. If there are more
// than Most names, the oldest ones keep their series: a new name takes none away.
func (m *Metrics) now() shown {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.purge(m.opt.Now())
	out := shown{observed: m.observed, frames: m.frames, stale: m.stale, deliver: m.deliver, collect: m.collect}
	last := map[string]*run{}
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
	slices.SortFunc(out.runs, func(a, b run) int { return cmp.Compare(a.nameSeq, b.nameSeq) })
	most := min(len(out.runs), m.opt.Most)
	out.runs, out.overflow = out.runs[:most], len(out.runs)-most
	return out
}

// endsLater orders runs of one name: a running one before an ended one, then by predicted end, then the newer.
func endsLater(a, b *run) bool {
	if a.ended.IsZero() != b.ended.IsZero() {
		return a.ended.IsZero()
	}
	if x, y := a.end(), b.end(); x != y {
		return x > y
	}
	return a.seq > b.seq
}

// end returns the predicted end; NoInstant, which sorts before all others, if unknown.
func (r *run) end() dag.Instant {
	if at := r.frame.Headline.EndAt; at != nil {
		return at.Instant
	}
	return dag.NoInstant
}

// maxLabel bounds a label's value in bytes: a query's name may be the whole query.
const maxLabel = 128

// ids matches the parts of names that differ in every run: ids of applications, jobs and Oozie's launchers.
var ids = regexp.MustCompile(`(?:application|job)_\d{6,}_\d{4,}|\d{7}-\d{15}-[\w-]+-[WCB](?:@[\w-]+)?`)

// workflow returns the label for a workflow's name. An empty label counts as none, so unnamed queries have one too.
func workflow(name *string) string {
	if name == nil || strings.TrimSpace(*name) == "" {
		return "(unnamed)"
	}
	return label(*name)
}

// label returns a valid label value for Prometheus, of bounded length and without ids.
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
