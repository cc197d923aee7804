package tty

import (
	"iter"
	"slices"
	"sort"
	"sync"
	"time"

	"github.com/paratimer/paratimer/cmd/paratimer/internal/frame"
	"github.com/paratimer/paratimer/cmd/paratimer/internal/screen"
	"github.com/paratimer/paratimer/dag"
)

// The store's budget. Measured sizes: a frame takes some kilobytes and 300 bytes for each job. To list its tasks it
// keeps its snapshot, about 400 bytes for each task.
const (
	budget     = 64 << 20 // bytes of frames
	taskBudget = 64 << 20 // bytes of snapshots that frames keep

	frameBytes = 6 << 10
	jobBytes   = 300
	taskBytes  = 400
)

// A moment is a frame and its time: since the first frame, by the cluster's clock.
type moment struct {
	at    time.Duration
	frame frame.Frame
	// bytes and held are estimates: of the frame, and of the snapshot that it keeps.
	bytes, held int
}

// A store has the data that a watch passes to the screen: the newest log line, and the frames of a run, for looking
// back. It never waits for the terminal. Beyond a budget of bytes it drops every second frame, so that the older a
// frame is, the further apart it is from its neighbors. The first and the newest frame are always kept, the newest
// whole.
type store struct {
	sync.Mutex
	moments []moment
	origin  dag.Instant
	log     string
	dirty   bool // frames or log are newer than the picture
	// unseen is how long ago the newest frame came.
	unseen time.Duration

	bytes, held int // of all moments
	whole       int // the first moment that keeps its snapshot
	// most and mostHeld are the budgets.
	most, mostHeld int
}

func newStore() *store {
	return &store{origin: dag.NoInstant, most: budget, mostHeld: taskBudget}
}

// say shows a line on the log line.
func (s *store) say(line string) {
	s.Lock()
	defer s.Unlock()
	s.log, s.dirty = line, true
}

// add stores a frame without its distribution, which is not shown later.
func (s *store) add(f frame.Frame) {
	s.Lock()
	defer s.Unlock()
	m := moment{at: s.end(), frame: f, bytes: frameBytes + jobBytes*len(f.Jobs)}
	if f.At != nil {
		s.origin = dag.FirstKnown(s.origin, f.At.Instant)
		m.at = max(m.at, f.At.Sub(s.origin))
	}
	m.frame.Left = nil
	for i := range f.Jobs {
		known, _ := f.Jobs[i].Known()
		m.held += taskBytes * *known.Total
	}
	s.moments = append(s.moments, m)
	s.bytes, s.held, s.unseen, s.dirty = s.bytes+m.bytes, s.held+m.held, 0, true
	for s.bytes > s.most && len(s.moments) > 2 {
		s.thin()
	}
	for ; s.held > s.mostHeld && s.whole < len(s.moments)-1; s.whole++ {
		oldest := &s.moments[s.whole]
		s.held -= oldest.held
		oldest.frame.Tasks, oldest.held = nil, 0
	}
}

// thin drops every second moment, but not the newest. The next one gets the moves of a moment that is dropped, as many
// as the screen shows.
func (s *store) thin() {
	kept, n := s.moments[:0], len(s.moments)
	for i := range n {
		m := &s.moments[i]
		if i%2 == 0 || i == n-1 {
			kept = append(kept, *m)
			continue
		}
		s.bytes, s.held = s.bytes-m.bytes, s.held-m.held
		next := &s.moments[i+1].frame
		all := slices.Concat(m.frame.Moves, next.Moves)
		next.Moves = all[max(0, len(all)-screen.MostMoves):]
	}
	clear(s.moments[len(kept):])
	s.moments, s.whole = kept, 0
}

// end returns the time of the newest frame.
func (s *store) end() time.Duration {
	if n := len(s.moments); n > 0 {
		return s.moments[n-1].at
	}
	return 0
}

// newest returns the newest frame; the zero Frame if there is none.
func (s *store) newest() frame.Frame {
	if n := len(s.moments); n > 0 {
		return s.moments[n-1].frame
	}
	return frame.Frame{}
}

// index returns the index of the newest frame that is not later than at, else of the first; -1 if the store is empty.
func (s *store) index(at time.Duration) int {
	n := sort.Search(len(s.moments), func(i int) bool { return s.moments[i].at > at })
	return max(n-1, min(0, len(s.moments)-1))
}

// upTo returns the frames up to the one of an index.
func (s *store) upTo(i int) iter.Seq[*frame.Frame] {
	return func(yield func(*frame.Frame) bool) {
		for k := range s.moments[:i+1] {
			if !yield(&s.moments[k].frame) {
				return
			}
		}
	}
}
