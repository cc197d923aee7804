package tty

import (
	"iter"
	"slices"
	"sort"
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
}

// A store keeps the frames of a run for looking back, within a budget of bytes. Beyond it, frames are thinned out
// evenly over time, so that half a day has as good a picture of its beginning as of its end. The newest frame is
// always kept, whole.
type store struct {
	moments []moment
	origin  dag.Instant
	spacing time.Duration // the least distance of two frames, except of the newest
	// bytes and held are estimates: of frames, and of the snapshots that they keep.
	bytes, held int
	// most and mostHeld are the budgets.
	most, mostHeld int
}

func newStore() *store {
	return &store{origin: dag.NoInstant, most: budget, mostHeld: taskBudget}
}

// add stores a frame without its distribution, which is not shown later.
func (s *store) add(f frame.Frame) {
	at := s.end()
	if f.At != nil {
		if !s.origin.Known() {
			s.origin = f.At.Instant
		}
		at = max(at, f.At.Sub(s.origin))
	}
	f.Left = nil
	if n := len(s.moments); n >= 2 && s.moments[n-1].at-s.moments[n-2].at < s.spacing {
		f.Moves = moves(s.moments[n-1].frame.Moves, f.Moves)
		s.count(s.moments[n-1].frame, -1)
		s.moments = s.moments[:n-1]
	}
	s.moments = append(s.moments, moment{at, f})
	s.count(f, 1)
	for s.bytes > s.most && len(s.moments) > 2 {
		s.thin()
	}
	for s.held > s.mostHeld && s.forget() {
	}
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

// thin doubles the spacing and drops frames that are closer. If none is, it drops every other frame.
func (s *store) thin() {
	span, n := s.end(), len(s.moments)
	s.spacing = max(2*s.spacing, 2*span/time.Duration(n), time.Millisecond)
	last := s.moments[0].at
	s.keep(func(i int) bool {
		wide := s.moments[i].at-last >= s.spacing
		if wide {
			last = s.moments[i].at
		}
		return wide
	})
	if len(s.moments) == n {
		s.keep(func(i int) bool { return i%2 == 0 })
	}
}

// keep drops the moments that wanted rejects, but neither the first nor the newest. It calls wanted in order. The next
// frame that is kept gets the moves of those before it.
func (s *store) keep(wanted func(i int) bool) {
	n := len(s.moments)
	kept := s.moments[:1]
	var dropped []frame.Move
	for i := 1; i < n; i++ {
		f := &s.moments[i].frame
		f.Moves = moves(dropped, f.Moves)
		if i < n-1 && !wanted(i) {
			dropped = f.Moves
			s.count(*f, -1)
			continue
		}
		dropped = nil
		kept = append(kept, s.moments[i])
	}
	clear(s.moments[len(kept):])
	s.moments = kept
}

// moves returns the newest moves of two lists, as many as the screen shows.
func moves(older, newer []frame.Move) []frame.Move {
	if len(older) == 0 {
		return newer
	}
	all := slices.Concat(older, newer)
	return all[max(0, len(all)-screen.MostMoves):]
}

// forget drops the snapshots of every other frame that has one, except of the newest. It reports whether one did.
func (s *store) forget() bool {
	did, odd := false, false
	for i := range s.moments[:len(s.moments)-1] {
		f := &s.moments[i].frame
		if f.Tasks == nil {
			continue
		}
		if odd = !odd; odd {
			s.count(*f, -1)
			f.Tasks, did = nil, true
			s.count(*f, 1)
		}
	}
	return did
}

// count adds the size of a frame, or subtracts it if sign is -1.
func (s *store) count(f frame.Frame, sign int) {
	s.bytes += sign * (frameBytes + jobBytes*len(f.Jobs))
	if f.Tasks == nil {
		return
	}
	tasks := 0
	for i := range f.Jobs {
		known, _ := f.Jobs[i].Known()
		tasks += *known.Total
	}
	s.held += sign * (taskBytes * tasks)
}
