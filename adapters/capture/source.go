package capture

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"time"

	"github.com/paratimer/paratimer/adapters/hadoopconf"
	"github.com/paratimer/paratimer/adapters/mapreduce"
	"github.com/paratimer/paratimer/adapters/rest"
	"github.com/paratimer/paratimer/adapters/tez"
	"github.com/paratimer/paratimer/adapters/yarn"
	"github.com/paratimer/paratimer/dag"
)

// Options select the part of a recording to replay.
type Options struct {
	// Workflow is an application, job or workflow id; "" is the first workflow submitted after the recording's first
	// line.
	Workflow string
	// Every is the least time between two replayed polls. 0 replays all of them.
	Every time.Duration
}

// A CutOffError means that the recording ends before the workflow does.
type CutOffError struct {
	At   dag.Instant // of its last line
	Torn bool
}

func (e *CutOffError) Error() string {
	if e.Torn {
		return fmt.Sprintf("capture: the recording breaks off in the middle of a line at %s, before the workflow's end",
			e.At.Time().Format(time.RFC3339))
	}
	return fmt.Sprintf("capture: the recording ends at %s, before the workflow does", e.At.Time().Format(time.RFC3339))
}

// Is reports whether target is io.ErrUnexpectedEOF.
func (e *CutOffError) Is(target error) bool { return target == io.ErrUnexpectedEOF }

// A Source replays one workflow of a recording. It yields a snapshot for each recorded poll of /cluster/apps, and one
// for the last line.
type Source struct {
	rec    *Recording
	player *Player // serves the responses of a cluster; nil in a replay of Spark
	spark  *sparkPlayer
	query  interface {
		Next(ctx context.Context) (*dag.Snapshot, error)
	}
	ticks []dag.Instant
}

// NewSource returns a source that replays rec through the adapter for live clusters.
func NewSource(rec *Recording, o Options) (*Source, error) {
	if rec.plays(o.Workflow) {
		return newSparkSource(rec, o)
	}
	p := NewPlayer(rec)
	rm := rec.rm
	if rm == "" {
		return nil, errors.New("capture: no answer of a ResourceManager is recorded: record with attach --capture")
	}
	client, err := mapreduce.NewClient(hadoopconf.Site{RMs: []hadoopconf.Manager{{URL: rm}}, JHS: rm},
		rest.Options{Transport: p, Now: p.Now})
	if err != nil {
		return nil, err
	}
	s := &Source{rec: rec, player: p, ticks: thin(rec.ticks(), o.Every)}
	final := func() bool { return len(s.ticks) <= 1 }
	of, isTez, err := rec.tezTarget(o.Workflow)
	if err != nil {
		return nil, err
	}
	if isTez {
		of.Made, of.Final = p.Made, final
		s.query = tez.NewSource(client, of)
		return s, nil
	}
	target, err := rec.target(o.Workflow)
	if err != nil {
		return nil, err
	}
	target.Made, target.Final = p.Made, final
	s.query = mapreduce.NewSource(client, target)
	return s, nil
}

// thin keeps ticks that are at least every apart, and the last one.
func thin(ticks []dag.Instant, every time.Duration) []dag.Instant {
	var out []dag.Instant
	for i, t := range ticks {
		if len(out) == 0 || t.Sub(out[len(out)-1]) >= every || i == len(ticks)-1 {
			out = append(out, t)
		}
	}
	return out
}

// Next replays one poll. It skips polls before the workflow's submission. It returns io.EOF after the workflow's end,
// a *CutOffError if the recording ends before it, and a *yarn.NoWorkflowError if the workflow is never submitted.
func (s *Source) Next(ctx context.Context) (*dag.Snapshot, error) {
	for len(s.ticks) > 0 {
		s.seek(s.ticks[0])
		snap, err := s.query.Next(ctx)
		_, none := errors.AsType[*yarn.NoWorkflowError](err)
		if none && len(s.ticks) > 1 {
			s.ticks = s.ticks[1:]
			continue
		}
		if ctx.Err() == nil && !errors.Is(err, io.EOF) {
			s.ticks = s.ticks[1:]
		}
		if err != nil {
			return nil, err
		}
		return s.remark(snap), nil
	}
	if _, err := s.query.Next(ctx); errors.Is(err, io.EOF) {
		return nil, io.EOF
	}
	return nil, &CutOffError{At: s.rec.Last, Torn: s.rec.Torn}
}

// seek sets the replayed instant.
func (s *Source) seek(t dag.Instant) {
	if s.spark != nil {
		s.spark.now = t
		return
	}
	s.player.Seek(t)
}

// leftOut describes how many parts of a recording were left out.
func leftOut(n int, one, many string) string {
	if n == 1 {
		return "1 " + one + " and was left out"
	}
	return fmt.Sprintf("%d %s and were left out", n, many)
}

// remark adds warnings about the recording itself.
func (s *Source) remark(snap *dag.Snapshot) *dag.Snapshot {
	var more []dag.Warning
	if s.rec.Bad > 0 {
		more = append(more, dag.Warning{
			Code: dag.WarnObservation,
			Text: leftOut(s.rec.Bad, "line of the recording is not a recorded answer", "lines of the recording are not recorded answers"),
		})
	}
	if s.rec.Torn && len(s.ticks) == 0 {
		more = append(more, dag.Warning{
			Code: dag.WarnTornTape,
			Text: "the recording breaks off in the middle of a line here",
		})
	}
	if len(more) == 0 {
		return snap
	}
	marked := *snap
	marked.Warnings = append(slices.Clip(snap.Warnings), more...)
	return &marked
}
