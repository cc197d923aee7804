package observed

import (
	"fmt"
	"strings"

	"github.com/paratimer/paratimer/dag"
)

// namedOthers is how many applications a warning names.
const namedOthers = 3

// warnOthers says of which other applications the remaining need is guessed, and when the scheduler may take containers
// of ours.
func (m *Model) warnOthers(s *dag.Snapshot) {
	var guessed []string
	for i := range s.Load {
		if s.Load[i].Need == nil {
			guessed = append(guessed, s.Load[i].Title())
		}
	}
	switch all, n := len(s.Load), len(guessed); {
	case all == 0:
	case n == 0:
		m.warnLoad("what other applications have left to do is known from their own masters")
	default:
		names := strings.Join(guessed[:min(n, namedOthers)], ", ")
		if n > namedOthers {
			names += fmt.Sprintf(" and %d more", n-namedOthers)
		}
		m.warnLoad("what %d of %d other applications have left to do is guessed, their masters tell nothing: %s", n,
			all, names)
	}
	if over := preemptableMB(s); over > 0 {
		m.warnLoad("queue %s holds %d MB more than it is guaranteed and others wait: the scheduler may take containers back, and what ran in them runs again", s.Queue, over)
	}
}

func (m *Model) warnLoad(format string, args ...any) {
	m.Warnings = append(m.Warnings, dag.Warning{Code: dag.WarnOtherLoad, Text: fmt.Sprintf(format, args...)})
}

// preemptableMB is what the scheduler may take back of our queue: what that holds above its share, where another queue
// that holds less than its own wants some.
func preemptableMB(s *dag.Snapshot) int {
	q := s.QueueNamed(s.Queue)
	if q == nil || !q.Preempted || q.ShareMB <= 0 {
		return 0
	}
	held, wants := map[string]int{}, map[string]bool{}
	for j := range s.Jobs {
		held[s.Queue] += s.Jobs[j].HeldMB
	}
	for i := range s.Load {
		l := &s.Load[i]
		held[l.Queue] += l.HeldMB
		wants[l.Queue] = wants[l.Queue] || l.PendingMB > 0
	}
	for i := range s.Load {
		l := &s.Load[i]
		share := l.ShareMB
		if o := s.QueueNamed(l.Queue); o != nil {
			share = o.ShareMB
		}
		if l.Queue != s.Queue && wants[l.Queue] && held[l.Queue] < share {
			return max(0, held[s.Queue]-q.ShareMB)
		}
	}
	return 0
}
