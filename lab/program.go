package main

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/paratimer/paratimer/adapters/planfile"
	"github.com/paratimer/paratimer/internal/testkit/fixtures"
)

// A program is the paratimer command, built from the working folder, with a folder for its files.
type program struct{ exe, folder string }

// withProgram builds the command, calls do and removes the command.
func withProgram(do func(p program) error) error {
	folder, err := os.MkdirTemp("", "lab")
	if err != nil {
		return err
	}
	defer func() { _ = os.RemoveAll(folder) }() // leftovers are in a temporary folder
	p := program{filepath.Join(folder, "paratimer"), folder}
	build := exec.CommandContext(context.Background(), "go", "build", "-o", p.exe, "./cmd/paratimer")
	if text, err := build.CombinedOutput(); err != nil {
		return fmt.Errorf("build: %w\n%s", err, text)
	}
	return do(p)
}

// run runs the command and returns its standard output.
func (p program) run(args ...string) ([]byte, error) {
	var errs bytes.Buffer
	command := exec.CommandContext(context.Background(), p.exe, args...)
	command.Stderr = &errs
	out, err := command.Output()
	if err != nil {
		return nil, fmt.Errorf("%s: %w\n%s", strings.Join(args, " "), err, &errs)
	}
	return out, nil
}

// A score is the part of `paratimer score --output json` that the pages need.
type score struct {
	ID         string `json:"workflow_id"`
	Seconds    Number `json:"total_seconds"`
	Estimators []struct {
		Name  string `json:"name"`
		Mean  Number `json:"mean_points"`
		Most  Number `json:"max_points"`
		Bias  Number `json:"bias_points"`
		Empty Number `json:"no_estimate_ratio"`
	} `json:"estimators"`
	Ticks  int `json:"range_ticks"`
	Ranges []struct {
		Held  Number `json:"held_ratio"`
		Width Number `json:"mean_width_ratio"`
	} `json:"coverage"`
	Alerts []alert `json:"alerts"`
}

// A run is a finished run, or the profile of one; then file is empty.
type run struct {
	Name, file, id string
	profile, group string // the file of its profile; runs of one script have the same group
	*score                // without a profile
	With           []pair // with the profile of each other run of the group, the smallest mean error first
}

// A pair is the score of a run with the profile of another one.
type pair struct {
	Name string
	*score
}

// score scores a run with the profile in a file, or without one.
func (p program) score(r *run, profile string, args ...string) (*score, error) {
	args = append([]string{"score", r.file, "--output", "json"}, args...)
	if r.id != "" {
		args = append(args, "--workflow", r.id)
	}
	if profile != "" {
		args = append(args, "--profile", profile)
	}
	out, err := p.run(args...)
	if err != nil {
		return nil, err
	}
	var all struct{ Runs []score }
	if err := json.Unmarshal(out, &all); err != nil || len(all.Runs) != 1 {
		return nil, fmt.Errorf("%s: %d runs: %w", r.file, len(all.Runs), err)
	}
	return &all.Runs[0], nil
}

// unsuccessful are the recordings of queries that failed or have no end.
var unsuccessful = []string{"failing-1", "hivebad-1", "amlost-1"}

// load scores all runs of recordings without a profile and makes their profiles. A session of Tez has several runs.
func (p program) load(files []string, args ...string) ([]*run, error) {
	files = slices.DeleteFunc(slices.Clone(files), func(file string) bool {
		return slices.Contains(unsuccessful, fixtures.Name(file))
	})
	byFile := make([][]*run, len(files))
	err := Each(len(files), func(i int) error {
		id := ""
		for n := 1; ; n++ {
			r := &run{Name: fixtures.Name(files[i]), file: files[i], id: id}
			if n > 1 {
				r.Name += fmt.Sprint(" #", n)
			}
			var err error
			if r.score, err = p.score(r, "", args...); err != nil && n > 1 {
				return nil //nolint:nilerr // the session has no such run
			} else if err != nil {
				return err
			}
			r.id, r.profile = r.ID, filepath.Join(p.folder, path.Base(r.ID)+"-"+r.Name+".yaml")
			if _, err := p.run("learn", r.file, "--workflow", r.id, "-o", r.profile); err != nil {
				return err
			}
			if err := r.readGroup(); err != nil {
				return err
			}
			byFile[i] = append(byFile[i], r)
			session, ok := strings.CutSuffix(r.ID, fmt.Sprint("_", n))
			if !ok || !strings.HasPrefix(session, "dag_") {
				return nil
			}
			id = fmt.Sprint(session, "_", n+1)
		}
	})
	return slices.Concat(byFile...), err
}

// number is the number of a run at the end of a name.
var number = regexp.MustCompile(`-\d+$`)

// readGroup sets the run's group: the query of Hive, the name of a script, or the program of a recording of Spark.
func (r *run) readGroup() error {
	plan, err := planfile.ReadFile(r.profile, planfile.Options{Profile: true})
	if err != nil {
		return err
	}
	switch plan.Engine {
	case "Spark": // the same program in another version of Spark has the same name
		r.group = number.ReplaceAllString(r.Name, "")
	case "Tez":
		r.group = cmp.Or(plan.Jobs[0].Alias, plan.Name)
	default:
		r.group = path.Base(plan.Name)
	}
	return nil
}

// pair scores each run with the profile of each other one of its group.
func (p program) pair(runs, profiles []*run, args func(r *run) []string) error {
	return Each(len(runs), func(i int) error {
		r := runs[i]
		for _, other := range slices.Concat(runs, profiles) {
			if other == r || other.group != r.group {
				continue
			}
			s, err := p.score(r, other.profile, args(r)...)
			if err != nil {
				return err
			}
			r.With = append(r.With, pair{other.Name, s})
		}
		slices.SortStableFunc(r.With, func(a, b pair) int { return cmp.Compare(a.points(), b.points()) })
		return nil
	})
}

// kept returns the profiles of second and third runs of the recordings' scripts, on other data and under two to three
// times the load. Their recordings are too large for the project.
func kept() ([]*run, error) {
	files, err := filepath.Glob("lab/profiles/*.yaml")
	if len(files) == 0 {
		return nil, errors.Join(err, errors.New("no lab/profiles: run this in the project's folder"))
	}
	var all []*run
	for _, file := range files {
		r := &run{Name: strings.TrimSuffix(filepath.Base(file), ".yaml"), profile: file}
		if err := r.readGroup(); err != nil {
			return nil, err
		}
		all = append(all, r)
	}
	return all, nil
}
