package spark

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"

	"github.com/paratimer/paratimer/adapters/recording"
	"github.com/paratimer/paratimer/adapters/yarn"
	"github.com/paratimer/paratimer/dag"
	"github.com/paratimer/paratimer/units"
)

// The requests to a driver depend on the recording program. A replay therefore applies all answers in the order of
// their requests, whatever a live source would request.

// A recordedSource is a source that applies recorded answers, poll by poll.
type recordedSource struct {
	app     *App
	answers []recording.Answer
	rounds  []dag.Instant // when each poll begins
	now     dag.Instant
	done    bool
}

// NewReplay returns a replay of an application's answers, with a snapshot for each recorded list of applications. It
// returns nil if the recording has no answers of Spark, or answers of a ResourceManager and none about the application.
func NewReplay(rec *recording.Answers, o recording.Options) (*recording.Replay, error) {
	s := &recordedSource{app: NewApp(o.Workflow)}
	found, apps := false, map[string]bool{}
	for _, a := range rec.All() {
		e, args := endpointOf(a.URL.Path)
		if e == nil {
			continue
		}
		found = found || !e.manager
		if len(args) > 1 && !e.manager {
			apps[args[1]] = true
		}
		s.answers = append(s.answers, a)
		if IsTick(a.URL) {
			s.rounds = append(s.rounds, a.At)
		}
	}
	app, _ := AppOf(o.Workflow)
	has := apps[app] || app == "" && len(apps) > 0
	switch {
	case !found || yarn.RecordedManager(rec) != "" && !has:
		return nil, nil //nolint:nilnil // another engine plays it
	case app != "" && !has:
		holds := units.Each(slices.Sorted(maps.Keys(apps)), func(app string) string { return app + " of Spark" })
		return nil, &recording.UnknownError{Workflow: o.Workflow, Holds: holds}
	case len(s.rounds) == 0:
		return nil, errors.New("spark: no answer of /api/v1/applications is recorded: there are no rounds to play")
	}
	slices.SortStableFunc(s.answers, func(x, y recording.Answer) int {
		return cmp.Or(cmp.Compare(x.At, y.At), cmp.Compare(x.URL.Path, y.URL.Path),
			cmp.Compare(x.URL.RawQuery, y.URL.RawQuery))
	})
	s.answers = slices.Compact(s.answers) // lines may be repeated
	s.rounds = slices.Compact(s.rounds)
	r := recording.NewReplay(rec, s.rounds, o.Every)
	r.Source, r.Seek = s, func(t dag.Instant) { s.now = t }
	return r, nil
}

// Next applies all answers up to the end of the current poll.
func (s *recordedSource) Next(ctx context.Context) (*dag.Snapshot, error) {
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	if s.done {
		return nil, io.EOF
	}
	until := dag.Instant(1<<62 - 1)
	if n, _ := slices.BinarySearch(s.rounds, s.now+1); n < len(s.rounds) {
		until = s.rounds[n]
	}
	why, told := "nothing was answered", false
	for len(s.answers) > 0 && s.answers[0].At < until {
		a := &s.answers[0]
		w := Answer{URL: a.URL, At: a.End, Status: a.Status, Type: a.Type, Body: a.Text}
		if took := s.app.Take(&w); took {
			told = told || !IsTick(a.URL)
		} else if IsTick(a.URL) {
			why = a.Failure()
		}
		s.answers = s.answers[1:]
	}
	final := s.now >= s.rounds[len(s.rounds)-1]
	if !told && !final && len(s.app.unitJobs()) > 0 {
		return nil, &dag.MissedError{At: s.app.Time(s.now), Err: fmt.Errorf("requests to the driver: %s", why)}
	}
	snap, ok := s.app.Snapshot(s.now, final)
	if !ok {
		if final {
			return nil, s.app.Missing()
		}
		return nil, &yarn.NoWorkflowError{}
	}
	s.done = snap.State.Ended()
	return snap, nil
}

// IsHistory reports whether a place is an event log, a zip, or a folder with event logs.
func IsHistory(p recording.Place) bool {
	has, _ := NewPastReader().Read(context.Background(), p) // an unreadable file is no log
	return has
}

// NewPastReader returns a reader of event logs.
func NewPastReader() recording.PastReader { return &pastReader{} }

type pastReader struct{ runs []recording.Run }

// Read finds the event logs of a place, and reads none of them.
func (r *pastReader) Read(ctx context.Context, p recording.Place) (has bool, err error) {
	logs, _ := FindLogs(ctx, p.In, p.File) // an unreadable file is no log
	if len(logs) == 0 {
		if _, isZip := formOf(p.In, p.File); isZip {
			return true, errors.New("it is a zip without an event log")
		}
		return false, ctx.Err()
	}
	for _, f := range logs {
		f.Name = p.Path(f.Name)
		r.runs = append(r.runs, recording.Run{
			Path: f.Name, Noun: "event log", Text: f.Name,
			Match: func(id string) int {
				log, err := f.Open()
				switch app, _ := AppOf(id); {
				case err != nil: // another log may be the right one
					return 0
				case log.ID() == app:
					return 2
				case log.Holds(app): // it is another attempt
					return 1
				}
				return 0
			},
			Open: func(o recording.Options) (recording.Source, error) {
				log, err := f.Open()
				if err != nil {
					return nil, err
				}
				return NewLogSource(log, o)
			},
		})
	}
	return true, nil
}

// Runs returns a run for each log.
func (r *pastReader) Runs() ([]recording.Run, []recording.Skipped) { return r.runs, nil }
