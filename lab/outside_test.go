package main

import (
	"bytes"
	_ "embed" // the text of the section
	"encoding/csv"
	"fmt"
	"io/fs"
	"maps"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/paratimer/paratimer/estimators/ernest"
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
	all, off [2]int     // predictions that were given and that were refused; those off by more than the limit
	within   Numbers    // shares of the runs within the ranges that were given
	errors   [4]Numbers // of all predictions, refused or not
}

func (t *tally) add(o *outcome) {
	refused := 1
	if o.prediction.Refused == nil {
		refused = 0
		t.within = append(t.within, Number(o.within))
	}
	t.all[refused]++
	if !(o.errors[0] <= wrong) {
		t.off[refused]++
	}
	for i, e := range o.errors {
		t.errors[i] = append(t.errors[i], Number(e))
	}
}

// row returns the tally's line of the table.
func (t *tally) row(name string) []any {
	row := []any{name, t.all[0] + t.all[1], t.within.Known().Mean().Percent()}
	for i, n := range t.all {
		share := "-"
		if n > 0 {
			share = fmt.Sprintf("%d of %d", t.off[i], n)
		}
		row = append(row, share)
	}
	for _, e := range t.errors {
		row = append(row, percent(float64(e.Median())))
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

// section is the part of docs/evidence/ernest.md that is written.
var section = regexp.MustCompile(`(?s)(<!-- outside: written by make ernest -->\n).*(<!-- /outside -->\n)`)

// outsidePage is the text of the section.
//
//go:embed outside.md.tmpl
var outsidePage string

// withSection returns a document with a new section.
func withSection(document string, all map[place]map[string]*tally) (string, error) {
	at := section.FindStringSubmatchIndex(document)
	if at == nil {
		return "", fmt.Errorf("the document has no place for the section: %s", section)
	}
	var tables []string
	for _, at := range []place{{"file", "among"}, {"file", "beyond"}, {"trained on", "among"}, {"trained on", "beyond"}} {
		var rows [][]any
		for _, name := range slices.Sorted(maps.Keys(all[at])) {
			rows = append(rows, all[at][name].row(strings.TrimPrefix(name, "~ ")))
		}
		tables = append(tables, Table(append([]any{
			fmt.Sprintf("%s, %s the training runs", at.by, at.side), "predicted", "range held", "given, > 20% off",
			"refused, > 20% off", "Ernest",
		}, rivals...), rows))
	}
	var b strings.Builder
	err := Write(&b, outsidePage, tables)
	return document[:at[3]] + b.String() + document[at[4]:], err
}

func TestReadOutside(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	for name, text := range map[string]string{
		"bell-a.csv": "Nodes,Runtime\n4,2000\n8,1000\n4,2200\n",
		"c3o-b.tsv": "instance_count\tmachine_type\tslots\tdata_size_MB\tk\tgross_runtime\n" +
			"2\tm4\t8\t10\t3\t60\n4\tm4\t16\t10\t5\t40\n2\tm4\t8\t20\t3\t90\n",
		"other.csv": "x\n",
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	jobs, err := readOutside(dir)
	if err != nil || len(jobs) != 3 || jobs[0].rows[0].Seconds != 2 || jobs[0].rows[0].Scale != 1 ||
		jobs[1].name != "m4 3" || len(jobs[1].rows) != 2 || jobs[2].rows[0].Machines != 4 {
		t.Errorf("%+v, %v", jobs, err)
	}
	if by := byConfiguration(jobs[0].rows); len(by) != 2 || len(by[0]) != 2 {
		t.Errorf("%v", by)
	}
	if err := os.WriteFile(filepath.Join(dir, "bell-bad.csv"), []byte("Nodes,Runtime\nmany,1\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := readOutside(dir); err == nil || !strings.Contains(err.Error(), "bell-bad.csv:2") {
		t.Error(err)
	}
}

// The section of a document is replaced; a document without it is an error.
func TestWithSection(t *testing.T) {
	t.Parallel()
	var rows []ernest.Row
	for _, machines := range []float64{4, 8, 16, 32} {
		rows = append(rows, ernest.Row{Machines: machines, Scale: 1, Seconds: 10 + 100/machines},
			ernest.Row{Machines: machines, Scale: 1, Seconds: 11 + 100/machines})
	}
	all, err := tallyAll([]job{{source: "bell-a", rows: rows}}, 1)
	if err != nil {
		t.Fatal(err)
	}
	got, err := withSection("a\n<!-- outside: written by make ernest -->\nold\n<!-- /outside -->\nb\n", all)
	if err != nil || !strings.HasPrefix(got, "a\n<!-- outside") || !strings.HasSuffix(got, "\n<!-- /outside -->\nb\n") ||
		strings.Contains(got, "old") || !strings.Contains(got, "| bell-a | ") {
		t.Errorf("%v\n%s", err, got)
	}
	if _, err := withSection("a\nb\n", all); err == nil {
		t.Error("no error")
	}
}
