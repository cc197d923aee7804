package past

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/paratimer/paratimer/adapters/engine"
	"github.com/paratimer/paratimer/adapters/recording"
	"github.com/paratimer/paratimer/adapters/webhdfs"
	"github.com/paratimer/paratimer/cmd/paratimer/internal/command"
	"github.com/paratimer/paratimer/cmd/paratimer/internal/command/input"
	"github.com/paratimer/paratimer/cmd/paratimer/internal/view"
	"github.com/paratimer/paratimer/dag"
	"github.com/paratimer/paratimer/units"
)

func importFlags() []cli.Flag {
	return []cli.Flag{
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
	}
}

// imports is the JSON of `paratimer import --output json`.
type imports struct {
	Workflows []imported          `json:"workflows"`
	LeftOut   []recording.Skipped `json:"left_out"`
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

// importHistory converts the history of finished jobs to recordings, one per workflow.
func importHistory(c *cli.Context) error {
	if err := command.Arguments(c, 1, -1); err != nil {
		return err
	}
	folder := c.String("out")
	if folder == "" {
		return command.Usage("import needs -o FOLDER: where to write the recordings")
	}
	var places []recording.Place
	var failed []error // arguments that cannot be read; the others are imported
	var rejected []recording.Skipped
	reject := func(name string, err error) {
		failed = append(failed, err)
		rejected = append(rejected, recording.Skipped{Path: name, Why: strings.TrimPrefix(err.Error(), name+": ")})
	}
	for _, name := range c.Args().Slice() {
		place, err := placeOf(c, name)
		if err != nil {
			reject(name, err)
			continue
		}
		places = append(places, place)
	}
	past, err := engine.ReadPast(c.Context, places...)
	if err != nil {
		return err
	}
	for _, f := range past.Failed {
		reject(f.Place.Name, failure(f))
	}
	if len(past.Runs) == 0 {
		return errors.Join(failed...)
	}
	result := imports{Workflows: []imported{}, LeftOut: append([]recording.Skipped{}, past.LeftOut...)}
	if id := c.String("workflow"); id != "" {
		run, err := input.ChooseRun(past.Runs, id)
		if err != nil {
			return errors.Join(append(failed, command.Usage("--workflow: %w", err))...)
		}
		past.Runs = []recording.Run{run}
	}
	if err := os.MkdirAll(folder, 0o777); err != nil {
		return command.Usage("cannot make the folder of the recordings: %w", err)
	}
	names := map[string]bool{}
	for _, run := range past.Runs {
		done, err := importRun(c, run, folder, names)
		var unusable unusableError
		switch {
		case c.Context.Err() != nil:
			return context.Cause(c.Context)
		case errors.As(err, &unusable) && len(past.Runs) == 1:
			return errors.Join(append(failed, command.Usage("%s: %w", run.Path, err))...)
		case errors.As(err, &unusable):
			result.LeftOut = append(result.LeftOut, recording.Skipped{Path: cmp.Or(run.ID, run.Path), Why: err.Error()})
		case err != nil:
			return err
		default:
			result.Workflows = append(result.Workflows, done)
		}
	}
	if len(result.Workflows) == 0 {
		failed = append(failed, command.Usage("none of the %d runs can be used", len(past.Runs)))
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

// placeOf returns the place of an argument: a file, a folder or a path in HDFS.
func placeOf(c *cli.Context, name string) (recording.Place, error) {
	if webhdfs.Is(name) {
		in, file, err := webhdfs.Open(c.Context, name, c.String("user"), input.ByKerberos(c)(webhdfs.Transport()))
		return recording.Place{Name: name, In: in, File: file}, err
	}
	return recording.LocalPlace(name), nil
}

// failure returns the error of a place without a usable run.
func failure(f engine.PastError) error {
	if errors.Is(f.Err, engine.ErrNoHistory) && !webhdfs.Is(f.Place.Name) {
		if other := input.WrongKind(f.Place.Name, "history"); other != nil {
			return other
		}
	}
	if wrong, ok := errors.AsType[*fs.PathError](f.Err); ok {
		return command.Usage("%s: %w", f.Place.Name, wrong.Err)
	}
	return command.Usage("%s: %w", f.Place.Name, input.PastError(f))
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

// importRun writes the recording of one run.
func importRun(c *cli.Context, run recording.Run, folder string, names map[string]bool) (done imported, err error) {
	p := command.NewProgress(c)
	defer p.Done()
	src, err := run.Open(recording.Options{Workflow: c.String("workflow"), Every: c.Duration("every")},
		input.ReadBytes(p, run.Path))
	if err != nil {
		return done, unusableError{err}
	}
	id := run.ID
	if s, ok := src.(interface{ ID() string }); ok {
		id = s.ID()
	}
	id = cmp.Or(id, filepath.Base(run.Path))
	file := filepath.Join(folder, recordingName(id, names))
	done, err = importSource(c.Context, input.Counted(src, run.Path, p), file)
	done.ID, done.Name, done.Jobs = cmp.Or(run.ID, done.ID), cmp.Or(run.Name, done.Name), run.Jobs
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
		if err != nil && checked.err == nil && ctx.Err() == nil {
			err = unusableError{err}
		}
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
