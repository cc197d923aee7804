package tty

import (
	"slices"
	"time"

	"github.com/paratimer/paratimer/cmd/paratimer/internal/frame"
	"github.com/paratimer/paratimer/dag"
)

// The store's budget. What a frame takes was measured: some kilobytes, and 300 bytes for each job. A frame can tell of
// its tasks as long as it holds the snapshot that it was made of, about 400 bytes for each task.
const (
	budget     = 64 << 20 // bytes of frames
	taskBudget = 64 << 20 // bytes of snapshots that frames hold

	frameBytes = 6 << 10
	jobBytes   = 300
	taskBytes  = 400
)

// A moment is a frame and when it was: the time since the first frame, by the cluster's clock.
type moment struct {
	at    time.Duration
	frame frame.Frame
}

// A store keeps the frames of a run for looking back. It is bounded by bytes: where they do not suffice, frames are
// thinned out evenly over time, so that a run of half a day has as good a picture of its beginning as of its end. The
// newest frame is always kept, whole.
type store struct {
	moments []moment
	origin  dag.Instant
	spacing time.Duration // no two but the newest lie closer
	// bytes and held are estimates: of frames, and of snapshots behind them.
	bytes, held int
	// most and mostHeld are the budgets.
	most, mostHeld int
}

func newStore() *store {
	return &store{origin: dag.NoInstant, most: budget, mostHeld: taskBudget}
}

// add keeps a frame. Its distribution is left out: nobody looks back at it.
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
		s.drop(n-1, n)
	}
	s.moments = append(s.moments, moment{at, f})
	s.count(f, 1)
	for s.bytes > s.most && len(s.moments) > 2 {
		s.thin()
	}
	for s.held > s.mostHeld && s.forget() {
	}
}

// end is when the newest frame was.
func (s *store) end() time.Duration {
	if n := len(s.moments); n > 0 {
		return s.moments[n-1].at
	}
	return 0
}

// newest is the newest frame; the zero one where there is none.
func (s *store) newest() frame.Frame {
	if n := len(s.moments); n > 0 {
		return s.moments[n-1].frame
	}
	return frame.Frame{}
}

// index is that of the newest frame that is not later than at; -1 where there is none.
func (s *store) index(at time.Duration) int {
	n, found := slices.BinarySearchFunc(s.moments, at, func(m moment, at time.Duration) int {
		return int(min(max(m.at-at, -1), 1))
	})
	for found && n+1 < len(s.moments) && s.moments[n+1].at == at {
		n++
	}
	if found {
		return n
	}
	return max(n-1, min(0, len(s.moments)-1))
}

// thin doubles the spacing and drops what lies closer. Where all lies wider already, it drops every other one.
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

// keep drops the moments that are not wanted, but neither the first nor the newest. They are asked for in order.
func (s *store) keep(wanted func(i int) bool) {
	n := len(s.moments)
	kept := s.moments[:1]
	for i := 1; i < n-1; i++ {
		if !wanted(i) {
			s.count(s.moments[i].frame, -1)
			continue
		}
		kept = append(kept, s.moments[i])
	}
	kept = append(kept, s.moments[n-1])
	clear(s.moments[len(kept):])
	s.moments = kept
}

// forget has every other frame that can tell of its tasks, but the newest, tell no longer. It says whether one did.
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

func (s *store) drop(from, to int) {
	for _, m := range s.moments[from:to] {
		s.count(m.frame, -1)
	}
	s.moments = slices.Delete(s.moments, from, to)
}

// count adds a frame to the bytes that are held, or takes it away.
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
