package recording

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/paratimer/paratimer/dag"
	"github.com/paratimer/paratimer/units"
)

// Options select the part of a recording to replay.
type Options struct {
	// Workflow is an application, job or workflow id; "" is the first workflow submitted after the recording's first
	// line.
	Workflow string
	// Every is the least time between two replayed polls. 0 replays all of them.
	Every time.Duration
}

// An UnknownError means that a recording does not contain the requested workflow.
type UnknownError struct {
	Workflow string
	Holds    []string // workflows of the recording, one line each
}

func (e *UnknownError) Error() string {
	if len(e.Holds) == 0 {
		return fmt.Sprintf("recording: it does not hold %s, nor any other MapReduce application", e.Workflow)
	}
	return fmt.Sprintf("recording: it does not have %s; it has\n  %s", e.Workflow, strings.Join(e.Holds, "\n  "))
}

// A CutOffError means that the recording ends before the workflow does.
type CutOffError struct {
	At   dag.Instant // of its last line
	Torn bool
}

func (e *CutOffError) Error() string {
	at := e.At.Time().Format(time.RFC3339)
	if e.Torn {
		return "the recording breaks off in the middle of a line at " + at + ", before the workflow's end"
	}
	return "the recording ends at " + at + ", before the workflow does"
}

// Is reports whether target is io.ErrUnexpectedEOF.
func (e *CutOffError) Is(target error) bool { return target == io.ErrUnexpectedEOF }

// A Replay replays one workflow of recorded answers. It yields a snapshot for each poll.
type Replay struct {
	rec   *Answers
	polls []dag.Instant
	// Source is the workflow's source, which reads the answers up to the instant that Seek sets.
	Source Source
	Seek   func(dag.Instant)
}

// NewReplay returns a replay of polls, at least every apart. Its source must be set before its first snapshot.
func NewReplay(rec *Answers, polls []dag.Instant, every time.Duration) *Replay {
	return &Replay{rec: rec, polls: thin(polls, every)}
}

// Last reports whether no poll comes after the present one.
func (r *Replay) Last() bool { return len(r.polls) <= 1 }

// thin keeps polls that are at least every apart, and the last one.
func thin(polls []dag.Instant, every time.Duration) []dag.Instant {
	var out []dag.Instant
	for i, t := range polls {
		if len(out) == 0 || t.Sub(out[len(out)-1]) >= every || i == len(polls)-1 {
			out = append(out, t)
		}
	}
	return out
}

// Next replays one poll. It skips polls before the workflow's submission. It returns io.EOF after the workflow's end,
// a *CutOffError if the recording ends before it, and the source's error if the workflow is never submitted.
func (r *Replay) Next(ctx context.Context) (*dag.Snapshot, error) {
	for len(r.polls) > 0 {
		r.Seek(r.polls[0])
		snap, err := r.Source.Next(ctx)
		var early interface{ IsEarly() bool } // the workflow was not submitted yet
		if errors.As(err, &early) && early.IsEarly() && len(r.polls) > 1 {
			r.polls = r.polls[1:]
			continue
		}
		if ctx.Err() == nil && !errors.Is(err, io.EOF) {
			r.polls = r.polls[1:]
		}
		if err != nil {
			return nil, err
		}
		return r.remark(snap), nil
	}
	if _, err := r.Source.Next(ctx); errors.Is(err, io.EOF) {
		return nil, io.EOF
	}
	return nil, &CutOffError{At: r.rec.Last, Torn: r.rec.Torn}
}

// Steps are the instants of the snapshots of a finished run, from the first to the last one. Over means that the last
// one was taken.
type Steps struct {
	Last       dag.Instant
	Over       bool
	End        error // what Play returns then, such as io.EOF
	next, step dag.Instant
}

// mostSteps is the number of snapshots of a long run if the time between them is not set.
const mostSteps = 3600

// NewSteps returns the steps of a run, every so often; 0 is a second, or more for a long run.
func NewSteps(first, last dag.Instant, every time.Duration, end error) Steps {
	step := dag.Instant(every / time.Millisecond)
	if every <= 0 {
		step = max(1000, (last-first)/mostSteps)
	}
	return Steps{Last: last, End: end, next: first, step: max(step, 1)}
}

// AtMost limits the number of snapshots.
func (s *Steps) AtMost(n int) { s.step = max(s.step, (s.Last-s.next)/dag.Instant(n)) }

// Play returns the snapshot of the next instant that has one. at returns it, nil if there is none. The errors are those
// of the context, and End after the last instant.
func (s *Steps) Play(ctx context.Context, at func(now dag.Instant) *dag.Snapshot) (*dag.Snapshot, error) {
	for ctx.Err() == nil && !s.Over {
		now := min(s.next, s.Last)
		s.next, s.Over = now+s.step, now == s.Last
		if snap := at(now); snap != nil {
			return snap, nil
		}
	}
	return nil, cmp.Or(ctx.Err(), s.End)
}

// remark adds warnings about the recording itself.
func (r *Replay) remark(snap *dag.Snapshot) *dag.Snapshot {
	var more []dag.Warning
	if r.rec.Bad > 0 {
		more = append(more, dag.Warningf(dag.WarnObservation, "left out: %s of the recording that no answer can be read from",
			units.Count(r.rec.Bad, "line")))
	}
	if r.rec.Torn && len(r.polls) == 0 {
		more = append(more, dag.Warningf(dag.WarnTornTape, "the recording breaks off in the middle of a line here"))
	}
	return withWarnings(snap, more...)
}

// withWarnings returns a snapshot with more warnings, and does not modify it.
func withWarnings(s *dag.Snapshot, more ...dag.Warning) *dag.Snapshot {
	if len(more) == 0 {
		return s
	}
	marked := *s
	marked.Warnings = append(slices.Clip(s.Warnings), more...)
	return &marked
}

// Polls returns the instant of the last request of each recorded poll, and the instant of the last line; nil if there
// is no poll. A poll begins with a request that begins reports, and ends before the longest following silence. At an
// earlier instant a player would serve answers of the previous poll, and miss a master's last ones.
func (r *Answers) Polls(begins func(*url.URL) bool) []dag.Instant {
	var begun []*Answer
	for i := range r.all {
		a := &r.all[i]
		if begins(a.URL) && (len(begun) == 0 || *begun[len(begun)-1] != *a) {
			begun = append(begun, a)
		}
	}
	if len(begun) == 0 {
		return nil
	}
	var out []dag.Instant
	for i := range begun[1:] {
		out = append(out, r.lastBeforeSilence(begun[i].At, begun[i+1].At))
	}
	return slices.Compact(append(out, r.Last))
}

// lastBeforeSilence returns the instant of the last request before the longest silence between from and to. During a
// silence no request is sent or in progress.
func (r *Answers) lastBeforeSilence(from, to dag.Instant) dag.Instant {
	all := r.all
	i, _ := slices.BinarySearchFunc(all, from, func(a Answer, t dag.Instant) int { return cmp.Compare(a.At, t) })
	last, longest, busy := from, dag.Instant(0), from
	for ; i < len(all) && all[i].At < to; i++ {
		busy = max(busy, all[i].End)
		next := to
		if i+1 < len(all) {
			next = min(next, all[i+1].At)
		}
		if next-busy >= longest {
			last, longest = all[i].At, next-busy
		}
	}
	return last
}
