package input

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/paratimer/paratimer/adapters/engine"
	"github.com/paratimer/paratimer/adapters/history"
	"github.com/paratimer/paratimer/adapters/recording"
	"github.com/paratimer/paratimer/cmd/paratimer/internal/command"
	"github.com/paratimer/paratimer/cmd/paratimer/internal/view"
	"github.com/paratimer/paratimer/dag"
	"github.com/paratimer/paratimer/units"
)

// A RecordedRun is a run in a recording. Open may be called several times.
type RecordedRun struct {
	Name string // name for display
	ID   string // "" if only opening the run shows it
	Open func() (*Recording, error)
}

// Whole plays the run to its end.
func (r RecordedRun) Whole(ctx context.Context, see ...func(*dag.Snapshot)) (run dag.Run, err error) {
	src, err := r.Open()
	if err != nil {
		return run, err
	}
	return WholeRun(ctx, src, see...)
}

// RecordedRuns returns the runs in files, folders and places of HDFS. A workflow of MapReduce has a file for each of
// its jobs, and several paths may have these. All runs are taken, or the one of --workflow. Files of folders that
// cannot be used are named on stderr.
func RecordedRuns(c *cli.Context, paths []string) (out []RecordedRun, bad []error) {
	var places []recording.Place
	for _, path := range paths {
		_, err := os.Stat(path)
		switch {
		case history.IsAddress(path):
			place, err := hdfsPlace(c, path)
			if err != nil {
				bad = append(bad, err)
				continue
			}
			places = append(places, place)
		case err != nil:
			bad = append(bad, command.Usage("cannot read the recording: %w", err))
		case isOurs(KindOf(path)) || !engine.IsPast(recording.LocalPlace(path)) || WorkflowID(c) != c.String("workflow"):
			out = append(out, RecordedRun{path, "", func() (*Recording, error) { return Open(c, path) }})
		default:
			places = append(places, recording.LocalPlace(path))
		}
	}
	if len(places) == 0 {
		return out, bad
	}
	past, err := engine.ReadPast(c.Context, places...)
	if err != nil {
		return out, []error{err}
	}
	for _, f := range past.Failed {
		bad = append(bad, command.Usage("%s: %w", f.Place.Name, pastError(f)))
	}
	for _, l := range past.LeftOut {
		fmt.Fprintf(c.App.ErrWriter, "paratimer: left out %s: %s\n", view.Escape(filepath.ToSlash(l.Path)), view.Escape(l.Why))
	}
	if id := c.String("workflow"); id != "" && len(past.Runs) > 0 {
		run, err := ChooseRun(past.Runs, id)
		if err != nil {
			return out, append(bad, command.Usage("--workflow: %w", err))
		}
		past.Runs = []recording.Run{run}
	}
	for _, r := range past.Runs {
		out = append(out, RecordedRun{r.Path, r.ID, func() (*Recording, error) {
			stop := command.Busy(c, filepath.Base(r.Path))
			src, err := r.Open(recording.Options{Workflow: c.String("workflow"), Every: everyOf(c)})
			if err != nil {
				stop()
				return nil, command.Usage("%s: %w", r.Path, err)
			}
			return &Recording{src: src, stop: stop}, nil
		}})
	}
	return out, bad
}

// hdfsPlace returns a file or folder of HDFS.
func hdfsPlace(c *cli.Context, address string) (recording.Place, error) {
	user := cmp.Or(c.String("user"), command.Getenv(c)("HADOOP_USER_NAME"))
	in, file, err := history.OpenHDFS(c.Context, address, user, ByKerberos(c)(history.WebTransport()))
	return recording.Place{Name: address, In: in, File: file}, err
}

// TotalSeconds returns the length of a run in seconds: from the first submission to the last end.
func TotalSeconds(s *dag.Snapshot) float64 {
	end := max(s.Origin(), s.LastEnd())
	if !s.State.Ended() {
		end = s.At
	}
	return end.Seconds(s.Origin())
}

// ChooseRun returns the only run, or the one that an id names. The error lists the runs.
func ChooseRun(runs []recording.Run, id string) (recording.Run, error) {
	if len(runs) == 1 || len(runs) > 0 && id == "" && runs[0].IsFirst {
		return runs[0], nil
	}
	best, found := 0, []recording.Run(nil)
	for _, r := range runs {
		if id == "" {
			break
		}
		switch n := r.Match(id); {
		case n > best:
			best, found = n, []recording.Run{r}
		case n == best && n > 0:
			found = append(found, r)
		}
	}
	if len(found) == 1 {
		return found[0], nil
	}
	var b strings.Builder
	if id == "" || len(found) > 1 {
		fmt.Fprintf(&b, "it has %s: choose one with --workflow", units.Count(len(runs), runs[0].Noun))
	} else {
		fmt.Fprintf(&b, "it does not have %s; it has", id)
	}
	const shown = 20
	for _, r := range runs[:min(len(runs), shown)] {
		b.WriteString("\n  " + r.Text)
	}
	if more := len(runs) - shown; more > 0 {
		fmt.Fprintf(&b, "\n  and %d more", more)
	}
	return recording.Run{}, errors.New(b.String())
}
