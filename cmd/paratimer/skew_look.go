package main

import (
	"context"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/paratimer/paratimer/adapters/infile"
	"github.com/paratimer/paratimer/adapters/planfile"
	"github.com/paratimer/paratimer/adapters/tape"
	"github.com/paratimer/paratimer/cmd/paratimer/internal/planview"
	"github.com/paratimer/paratimer/cmd/paratimer/internal/watch"
	"github.com/paratimer/paratimer/dag"
	"github.com/paratimer/paratimer/estimators"
)

// skewedRun is what is looked at: a plan or a recording if there is a file of the name, else a query of the cluster.
func skewedRun(ctx context.Context, c *cli.Context, path string, when moment, profiles []*dag.Plan) (dag.Run, error) {
	kind, exists, err := fileKind(path)
	if err != nil {
		return dag.Run{}, err
	}
	switch {
	case (!exists || kind == tape.Unknown) && when != (moment{}):
		return dag.Run{}, usage("--at goes with a recording")
	case !exists:
		return skewedNow(ctx, c, path, profiles)
	case kind == tape.Unknown:
		plan, err := planfile.ReadFile(path, planfile.Options{})
		if err != nil {
			return dag.Run{}, usage("%s is no recording, and no plan: %w", path, err)
		}
		plan.Profiles = profiles
		return dag.Run{}.Append(planview.Before(plan)), nil
	}
	open := func() (watch.Source, io.Closer, error) {
		src, file, err := openRecording(path, c.String("workflow"), c.Duration("every"))
		return withProfiles(src, profiles), file, err
	}
	return skewedThen(ctx, modelOf(c), path, open, when)
}

// fileKind says what is in the file of a name, if there is one. A folder holds history.
func fileKind(path string) (kind tape.Kind, exists bool, err error) {
	info, err := os.Stat(path)
	switch {
	case err != nil && isPath(path):
		return tape.Unknown, false, usage("cannot read it: %w", err)
	case err != nil:
		return tape.Unknown, false, nil // it names a query
	}
	if info.IsDir() {
		return tape.History, true, nil
	}
	f, err := infile.Open(path)
	if err != nil {
		return tape.Unknown, true, usage("cannot read it: %w", err)
	}
	defer f.Close()
	if kind, _, err = tape.Sniff(f); err != nil {
		return kind, true, usage("%s: %w", path, err)
	}
	return kind, true, nil
}

// isPlan says that a file is a plan.
func isPlan(path string) bool {
	_, err := planfile.ReadFile(path, planfile.Options{})
	return err == nil
}

// isPath says that a name is one of a file, not of a query.
func isPath(name string) bool {
	return strings.ContainsRune(name, filepath.Separator) || slices.Contains([]string{".tape", ".yaml", ".yml", ".json", ".jsonl", ".gz", ".jhist"}, filepath.Ext(name))
}

// skewedNow looks at a query of the cluster, a second time where the first look tells nothing.
func skewedNow(ctx context.Context, c *cli.Context, name string, profiles []*dag.Plan) (dag.Run, error) {
	return lookNow(ctx, c, name, profiles, 2, func(run dag.Run) (bool, error) {
		skew, err := estimators.NewWorld(run, modelOf(c), estimators.Options{}).Skew(false)
		return skew != nil, err
	})
}
