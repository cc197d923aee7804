package past

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/urfave/cli/v2"

	"github.com/paratimer/paratimer/adapters/history"
	"github.com/paratimer/paratimer/adapters/recording"
	"github.com/paratimer/paratimer/adapters/tez"
	"github.com/paratimer/paratimer/adapters/webhdfs"
	"github.com/paratimer/paratimer/cmd/paratimer/internal/command"
	"github.com/paratimer/paratimer/cmd/paratimer/internal/command/input"
	"github.com/paratimer/paratimer/cmd/paratimer/internal/view"
	"github.com/paratimer/paratimer/dag"
	"github.com/paratimer/paratimer/units"
)

func importFlags() []cli.Flag {
	return append(input.KerberosFlags(),
		&cli.StringFlag{
			Name: "out", Aliases: []string{"o"}, EnvVars: command.Env("out"),
			Usage: "write the recordings into `FOLDER`; it is created if missing",
		},
		&cli.StringFlag{
			Name: "workflow", EnvVars: command.Env("workflow"),
			Usage: "import only the workflow that is, or contains, `ID`",
		},
		&cli.DurationFlag{
			Name: "every", EnvVars: command.Env("every"),
			Usage: "one snapshot every `TIME` (default: 1s, longer for recordings above 3600 snapshots)",
		},
		&cli.StringFlag{
			Name: "user", EnvVars: append(command.Env("user"), "HADOOP_USER_NAME"),
			Usage: "ask HDFS as `NAME`",
		},
		command.OutputFlag("text", "json"),
	)
}

// imports is the JSON of `paratimer import --output json`.
type imports struct {
	Workflows []imported `json:"workflows"`
	LeftOut   []leftOut  `json:"left_out"`
}

type imported struct {
	ID           string   `json:"id"`
	Name         string   `json:"name"`
	Recording    string   `json:"recording"`
	State        string   `json:"state"`
	Jobs         int      `json:"jobs"`
	Snapshots    int      `json:"snapshots"`
	TotalSeconds float64  `json:"total_seconds"`
	Remarks      []string `json:"remarks"`
}

type leftOut struct {
	Path string `json:"path"`
	Why  string `json:"why"`
}

// importHistory converts the history of finished jobs to recordings, one per workflow.
func importHistory(c *cli.Context) error {
	if err := command.Arguments(c, 1, -1); err != nil {
		return err
	}
	folder := c.String("out")
	if folder == "" {
		return command.Usage("import needs -o FOLDER: where to write the recordings")
	}
	result := imports{Workflows: []imported{}, LeftOut: []leftOut{}}
	var jobs []*history.Job
	var failed []error // arguments that cannot be read; the others are imported
	var rejected []leftOut
	reject := func(name string, err error) {
		failed = append(failed, err)
		rejected = append(rejected, leftOut{name, strings.TrimPrefix(err.Error(), name+": ")})
	}
	var logs []*eventLogs
	var dags []*tez.Log
	for _, name := range c.Args().Slice() {
		events := eventLogsAt(c, name)
		if len(events.files) > 0 {
			logs = append(logs, events)
		}
		log, is, err := tezHistoryAt(c, name)
		switch {
		case c.Context.Err() != nil:
			return context.Cause(c.Context)
		case err != nil:
			reject(name, err)
			continue
		case is:
			dags = append(dags, log)
			continue
		case len(events.files) > 0 && !events.folder:
			continue
		}
		found, err := historyAt(c.Context, name, c.String("user"), input.ByKerberos(c)(webhdfs.Transport()))
		switch {
		case c.Context.Err() != nil:
			return context.Cause(c.Context)
		case err != nil && len(events.files) > 0: // a folder of event logs needs no other history
			continue
		case err != nil:
			reject(name, err)
			continue
		}
		jobs = append(jobs, found.Jobs...)
		for _, s := range found.Skipped {
			result.LeftOut = append(result.LeftOut, leftOut{s.Path, s.Why})
		}
	}
	if len(jobs)+len(logs)+len(dags) == 0 {
		return errors.Join(failed...)
	}
	workflows := history.Group(jobs)
	if id := c.String("workflow"); id != "" && len(jobs) > 0 {
		w, err := history.Choose(workflows, id)
		if err != nil {
			return errors.Join(append(failed, command.Usage("--workflow: %w", err))...)
		}
		workflows = []*history.Workflow{w}
	}
	if err := os.MkdirAll(folder, 0o777); err != nil {
		return command.Usage("cannot make the folder of the recordings: %w", err)
	}
	names := map[string]bool{}
	for _, found := range logs {
		done, out, err := found.recordings(c, folder, names)
		result.Workflows, result.LeftOut = append(result.Workflows, done...), append(result.LeftOut, out...)
		switch {
		case c.Context.Err() != nil:
			return context.Cause(c.Context)
		case err != nil:
			reject(found.name, err)
		}
	}
	for _, log := range dags {
		done, err := importDAGs(c, log, folder, names)
		if err != nil {
			return err
		}
		result.Workflows = append(result.Workflows, done...)
	}
	for _, w := range workflows {
		done, err := importOne(c.Context, w, folder, recordingName(w.ID, names), c.Duration("every"))
		var unusable unusableError
		switch {
		case errors.As(err, &unusable):
			result.LeftOut = append(result.LeftOut, leftOut{w.ID, unusable.Error()})
			continue
		case err != nil:
			return err
		}
		result.Workflows = append(result.Workflows, done)
	}
	if c.String("output") == "json" {
		result.LeftOut = append(result.LeftOut, rejected...)
		if err := json.NewEncoder(c.App.Writer).Encode(result); err != nil {
			return err
		}
	} else {
		result.print(c.App.Writer, c.App.ErrWriter)
	}
	return errors.Join(failed...)
}

// historyAt reads the history in a file, a folder or a path in HDFS.
func historyAt(ctx context.Context, name, user string, transport http.RoundTripper) (*history.Find, error) {
	if !webhdfs.Is(name) {
		found, err := input.FindHistory(ctx, name)
		switch {
		case ctx.Err() != nil:
			return nil, context.Cause(ctx)
		case err != nil:
			if other := input.WrongKind(name, "history"); other != nil && errors.Is(err, history.ErrOther) {
				return nil, other
			}
			return nil, command.Usage("%s: %w", name, err)
		}
		return found, nil
	}
	in, file, err := webhdfs.Open(ctx, name, user, transport)
	if err != nil {
		return nil, err
	}
	found, err := history.ReadFiles(ctx, in, file)
	if err == nil && len(found.Jobs) == 0 {
		return nil, command.Usage("%s: %w", name, found.Nothing())
	}
	return found, err
}

// print lists the recordings, and on stderr what was left out.
func (r *imports) print(out, talk io.Writer) {
	for _, w := range r.Workflows {
		fmt.Fprintf(out, "%s: %s %q, %s, %s, %s, %s\n", view.Escape(w.Recording), view.Escape(w.ID), w.Name,
			units.Count(w.Jobs, "job"), w.State, units.Seconds(w.TotalSeconds), units.Count(w.Snapshots, "snapshot"))
		for _, text := range w.Remarks {
			fmt.Fprintf(out, "  %s\n", view.Escape(text))
		}
	}
	for _, l := range r.LeftOut {
		fmt.Fprintf(talk, "paratimer: left out %s: %s\n", view.Escape(filepath.ToSlash(l.Path)), view.Escape(l.Why))
	}
}

// An unusableError is the error of a workflow that cannot be played, while others can.
type unusableError struct{ error }

// recordingSuffix ends the name of a recording.
const recordingSuffix = ".jsonl.zst"

// recordingName returns the name of a workflow's recording. Ids come from files, so they must not lead out of the
// folder.
func recordingName(id string, used map[string]bool) string {
	const longest = 150
	safe := strings.Map(func(r rune) rune {
		if r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || strings.ContainsRune("-_.", r) {
			return r
		}
		return '_'
	}, id)
	safe = strings.TrimLeft(safe[:min(len(safe), longest)], ".")
	if safe == "" {
		safe = "workflow"
	}
	name := safe
	for n := 2; used[name]; n++ {
		name = fmt.Sprintf("%s-%d", safe, n)
	}
	used[name] = true
	return name + recordingSuffix
}

// importOne writes the recording of one workflow.
func importOne(ctx context.Context, w *history.Workflow, folder, name string, every time.Duration) (done imported,
	err error,
) {
	src, err := history.NewSource(w, every)
	if err != nil {
		return done, unusableError{err}
	}
	done, err = importSource(ctx, src, filepath.Join(folder, name))
	done.ID, done.Name, done.Jobs = w.ID, w.Name, len(w.Jobs)
	return done, err
}

// importSource writes the snapshots of a source to a recording.
func importSource(ctx context.Context, src recording.Source, path string) (done imported, err error) {
	var last *dag.Snapshot
	var snapshots int
	err = command.WriteFile(path, func(w io.Writer) (err error) {
		file := recording.Compress(w)
		checked := &failing{w: file}
		last, snapshots, err = drain(ctx, recording.Tee(src, checked))
		return cmp.Or(err, checked.err, file.Close())
	})
	if err != nil {
		return done, err
	}
	done = imported{
		ID: last.ID, Name: last.Plan.Name, Recording: path, State: last.State.String(), Snapshots: snapshots,
		Remarks: []string{},
	}
	done.TotalSeconds = input.TotalSeconds(last)
	for _, warning := range last.Warnings {
		done.Remarks = append(done.Remarks, warning.Text)
	}
	return done, nil
}

// drain plays a source to its end.
func drain(ctx context.Context, src recording.Source) (last *dag.Snapshot, n int, err error) {
	for {
		s, err := src.Next(ctx)
		switch {
		case ctx.Err() != nil:
			return nil, n, context.Cause(ctx)
		case errors.Is(err, io.EOF) && last == nil:
			return nil, n, errors.New("no observation in it")
		case errors.Is(err, io.EOF):
			return last, n, nil
		case errors.Is(err, io.ErrUnexpectedEOF) && last != nil:
			return last, n, nil // the application has not ended in its log
		case err != nil:
			return nil, n, err
		}
		last, n = s, n+1
	}
}

// failing records that writing failed: a Tee continues without its recording.
type failing struct {
	w   io.Writer
	err error
}

func (f *failing) Write(b []byte) (int, error) {
	n, err := f.w.Write(b)
	if err != nil && f.err == nil {
		f.err = err
	}
	return n, err
}
