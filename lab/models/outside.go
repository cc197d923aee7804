package models

import (
	"bytes"
	"encoding/csv"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/paratimer/paratimer/estimators/ernest"
	"github.com/paratimer/paratimer/lab/page"
)

// A job is the runs of one program with one set of parameters on one type of machine.
type job struct {
	source string // the file, without its extension
	name   string // the values of the columns that identify the job; "" if the file has only one job
	rows   []ernest.Row
}

// A layout maps the columns of a file. Columns that are neither named here nor ignored form the job's name.
type layout struct {
	prefix                   string // of the file's name
	machines, scale, seconds string // scale may be "" if all runs have the same input
	unit                     float64
	comma                    rune
	ignored                  string // columns that follow from machines or from scale
}

var layouts = []layout{
	{"bell-", "Nodes", "", "Runtime", 1e-3, ',', ""},
	{"c3o-", "instance_count", "data_size_MB", "gross_runtime", 1, '\t', "slots memory lines links observations points"},
}

// readOutside reads the files of a folder that match a layout, in the order of their names.
func readOutside(folder string) ([]job, error) {
	var all []job
	for _, l := range layouts {
		files, err := filepath.Glob(filepath.Join(folder, l.prefix+"*"))
		if err != nil {
			return nil, err
		}
		for _, file := range files {
			jobs, err := l.read(file)
			if err != nil {
				return nil, err
			}
			all = append(all, jobs...)
		}
	}
	if len(all) == 0 {
		return nil, fmt.Errorf("%s has no table of runtimes: %w", folder, fs.ErrNotExist)
	}
	return all, nil
}

// read reads a file with a layout.
func (l *layout) read(file string) ([]job, error) {
	text, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	r := csv.NewReader(bytes.NewReader(text))
	r.Comma = l.comma
	lines, err := r.ReadAll()
	if err != nil || len(lines) == 0 {
		return nil, fmt.Errorf("%s: no table: %w", file, err)
	}
	source := strings.TrimSuffix(filepath.Base(file), filepath.Ext(file))
	var jobs []job
	for n, line := range lines[1:] {
		name, row := "", ernest.Row{Machines: math.NaN(), Scale: 1, Seconds: math.NaN()}
		to := map[string]*float64{l.machines: &row.Machines, l.scale: &row.Scale, l.seconds: &row.Seconds}
		for i, column := range lines[0] {
			if to[column] != nil {
				if *to[column], err = strconv.ParseFloat(line[i], 64); err != nil {
					return nil, fmt.Errorf("%s:%d: %w", file, n+2, err)
				}
			} else if !slices.Contains(strings.Fields(l.ignored), column) {
				name = strings.TrimSpace(name + " " + line[i])
			}
		}
		row.Seconds *= l.unit
		at := slices.IndexFunc(jobs, func(j job) bool { return j.name == name })
		if at < 0 {
			at, jobs = len(jobs), append(jobs, job{source: source, name: name})
		}
		jobs[at].rows = append(jobs[at].rows, row)
	}
	return jobs, nil
}

// A tally counts the predictions of a group.
type tally struct {
	// All predictions; those that were not refused; those of these that are off by more than the limit.
	all, given, wrong int
	refused, right    int             // right: refused predictions that are off by more than the limit
	held              page.Numbers    // shares of the runs within the range
	errors            [4]page.Numbers // of all predictions, refused or not
}

func (t *tally) add(o *outcome) {
	t.all++
	off := 0
	if !(o.errors[0] <= wrong) {
		off = 1
	}
	if o.prediction.Refused != nil {
		t.refused, t.right = t.refused+1, t.right+off
	} else {
		t.given, t.wrong = t.given+1, t.wrong+off
		t.held = append(t.held, page.Number(o.within))
	}
	for i, e := range o.errors {
		t.errors[i] = append(t.errors[i], page.Number(e))
	}
}

// holds returns the share of runs within a range, of the predictions that have one.
func (t *tally) holds() float64 {
	known := slices.DeleteFunc(slices.Clone(t.held), func(n page.Number) bool { return math.IsNaN(float64(n)) })
	return float64(known.Mean())
}

// row returns the tally's line of the table.
func (t *tally) row(name string) []any {
	share := func(n, of int) string {
		if of == 0 {
			return "-"
		}
		return fmt.Sprintf("%d of %d", n, of)
	}
	row := []any{
		name, t.all, page.Number(t.holds()).Percent(), share(t.wrong, t.given), share(t.right, t.refused),
	}
	for _, e := range t.errors {
		row = append(row, percents(float64(e.Median()))...)
	}
	return row
}

// allFiles sorts after the names of files.
const allFiles = "~ all"

// A place is a table: by "file" or by the split that a model is "trained on", and among the training runs or beyond.
type place struct{ by, side string }

// tallyAll evaluates every every-th trial of the jobs. It returns the rows of each table.
func tallyAll(jobs []job, every int) (map[place]map[string]*tally, error) {
	out := map[place]map[string]*tally{}
	add := func(at place, name string, o *outcome) {
		if out[at] == nil {
			out[at] = map[string]*tally{}
		}
		if out[at][name] == nil {
			out[at][name] = &tally{}
		}
		out[at][name].add(o)
	}
	n := 0
	for i := range jobs {
		for _, t := range trials(&jobs[i]) {
			if n++; n%every != 0 {
				continue
			}
			outcomes, err := t.predict()
			if err != nil {
				return nil, fmt.Errorf("%s %s: %w", jobs[i].source, jobs[i].name, err)
			}
			for k := range outcomes {
				o, side := &outcomes[k], "among"
				if o.prediction.Extrapolation.Distance > 0 {
					side = "beyond"
				}
				add(place{"file", side}, jobs[i].source, o)
				add(place{"file", side}, allFiles, o)
				add(place{"trained on", side}, t.rule, o)
			}
		}
	}
	return out, nil
}

// The section is between these lines of docs/ernest.md.
const (
	begin = "<!-- outside: written by make ernest -->\n"
	end   = "<!-- /outside -->\n"
)

// withOutside returns the document with a new section. If the data are missing, it returns the document unchanged and
// prints a notice.
func withOutside(document, folder string) (string, error) {
	text, err := os.ReadFile(document)
	if err != nil {
		return "", err
	}
	before, rest, found := strings.Cut(string(text), begin)
	_, after, closed := strings.Cut(rest, end)
	if !found || !closed {
		return "", fmt.Errorf("%s has no place for the section: the lines %q and %q", document,
			strings.TrimSpace(begin), strings.TrimSpace(end))
	}
	jobs, err := readOutside(folder)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		fmt.Fprintf(os.Stderr, "models: SKIPPED, as %s is missing\n", folder)
		return string(text), nil
	case err != nil:
		return "", err
	}
	all, err := tallyAll(jobs, 1)
	if err != nil {
		return "", err
	}
	var tables []string
	for _, at := range []place{{"file", "among"}, {"file", "beyond"}, {"trained on", "among"}, {"trained on", "beyond"}} {
		var rows [][]any
		for _, name := range slices.Sorted(maps.Keys(all[at])) {
			rows = append(rows, all[at][name].row(strings.TrimPrefix(name, "~ ")))
		}
		tables = append(tables, page.Table(append([]any{
			fmt.Sprintf("%s, %s the training runs", at.by, at.side), "predicted", "range held", "given, > 20 % off",
			"refused, > 20 % off", "Ernest",
		}, rivals...), rows))
	}
	var b strings.Builder
	err = page.Write(&b, outsidePage, tables)
	return before + begin + b.String() + end + after, err
}
