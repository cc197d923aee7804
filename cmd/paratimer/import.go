package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/paratimer/paratimer/adapters/archive"
	"github.com/paratimer/paratimer/adapters/past"
	"github.com/paratimer/paratimer/adapters/webhdfs"
	"github.com/paratimer/paratimer/cmd/paratimer/internal/view"
)

func importFlags() []cli.Flag {
	return append(kerberosFlags(),
		&cli.StringFlag{Name: "out", Aliases: []string{"o"}, EnvVars: env("out"), Usage: "write the tapes into `FOLDER`, made where it is missing"},
		&cli.StringFlag{Name: "workflow", EnvVars: env("workflow"), Usage: "import only the workflow with this `ID`, or that of a job or application of it"},
		&cli.DurationFlag{Name: "every", EnvVars: env("every"), Usage: "a snapshot each `TIME` (default: 1s, longer where a tape would have more than 3600)"},
		&cli.StringFlag{Name: "user", EnvVars: append(env("user"), "HADOOP_USER_NAME"), Usage: "ask HDFS as `NAME`"},
		outputFlag("text", "json"),
	)
}

// imports is what `paratimer import --output json` prints.
type imports struct {
	Workflows []imported `json:"workflows"`
	LeftOut   []leftOut  `json:"left_out"`
}

type imported struct {
	ID           string   `json:"id"`
	Name         string   `json:"name"`
	Tape         string   `json:"tape"`
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

// importHistory turns the history of finished jobs into tapes, one a workflow.
func importHistory(c *cli.Context) error {
	if err := arguments(c, 1, -1); err != nil {
		return err
	}
	folder := c.String("out")
	if folder == "" {
		return usage("import needs -o FOLDER: where to write the tapes")
	}
	result := imports{Workflows: []imported{}, LeftOut: []leftOut{}}
	var jobs []*past.Job
	var failed []error // of arguments that cannot be read; the others are imported
	var rejected []leftOut
	for _, name := range c.Args().Slice() {
		found, err := historyAt(c.Context, name, c.String("user"), kerberos(c).Layer(webhdfs.Transport()))
		switch {
		case c.Context.Err() != nil:
			return context.Cause(c.Context)
		case err != nil:
			failed = append(failed, err)
			rejected = append(rejected, leftOut{name, strings.TrimPrefix(err.Error(), name+": ")})
			continue
		}
		jobs = append(jobs, found.Jobs...)
		for _, s := range found.Skipped {
			result.LeftOut = append(result.LeftOut, leftOut{s.Path, s.Why})
		}
	}
	if len(jobs) == 0 {
		return errors.Join(failed...)
	}
	workflows := past.Group(jobs)
	if id := c.String("workflow"); id != "" {
		w, err := past.Choose(workflows, id)
		if err != nil {
			return errors.Join(append(failed, usage("--workflow: %w", err))...)
		}
		workflows = []*past.Workflow{w}
	}
	if err := os.MkdirAll(folder, 0o777); err != nil {
		return usage("cannot make the folder of the tapes: %w", err)
	}
	names := map[string]bool{}
	for _, w := range workflows {
		done, err := importOne(c.Context, w, folder, tapeName(w.ID, names), c.Duration("every"))
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

// historyAt reads the history in a file, a folder or a place in HDFS.
func historyAt(ctx context.Context, name, user string, transport http.RoundTripper) (*archive.Find, error) {
	if !webhdfs.Is(name) {
		found, err := findHistory(ctx, name)
		switch {
		case ctx.Err() != nil:
			return nil, context.Cause(ctx)
		case err != nil:
			return nil, usage("%s: %w", name, err)
		}
		return found, nil
	}
	in, file, err := webhdfs.Open(ctx, name, user, transport)
	if err != nil {
		return nil, err
	}
	found, err := archive.Read(ctx, in, file)
	if err == nil && len(found.Jobs) == 0 {
		return nil, usage("%s: %w", name, found.Nothing())
	}
	return found, err
}

// print says what was done, and on stderr what was left out.
func (r *imports) print(out, talk io.Writer) {
	for _, w := range r.Workflows {
		fmt.Fprintf(out, "%s: %s %q, %s, %s, %.1f s, %d snapshots\n", view.Escape(w.Tape), view.Escape(w.ID), w.Name, plural(w.Jobs, "job"), w.State, w.TotalSeconds, w.Snapshots)
		for _, text := range w.Remarks {
			fmt.Fprintf(out, "  %s\n", view.Escape(text))
		}
	}
	for _, l := range r.LeftOut {
		fmt.Fprintf(talk, "paratimer: left out %s: %s\n", view.Escape(filepath.ToSlash(l.Path)), view.Escape(l.Why))
	}
}

func plural(n int, what string) string {
	if n != 1 {
		what += "s"
	}
	return fmt.Sprint(n, " ", what)
}
