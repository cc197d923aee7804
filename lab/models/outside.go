package models

import (
	"bytes"
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
	all, off [2]int          // predictions that were given and that were refused; those that are off by more than the limit
	held     page.Numbers    // shares of the runs within the ranges that were given
	errors   [4]page.Numbers // of all predictions, refused or not
}

func (t *tally) add(o *outcome) {
	refused := 1
	if o.prediction.Refused == nil {
		refused = 0
		t.held = append(t.held, page.Number(o.within))
	}
	t.all[refused]++
	if !(o.errors[0] <= wrong) {
		t.off[refused]++
	}
	for i, e := range o.errors {
		t.errors[i] = append(t.errors[i], page.Number(e))
	}
}

// row returns the tally's line of the table.
func (t *tally) row(name string) []any {
	row := []any{name, t.all[0] + t.all[1], t.held.Known().Mean().Percent()}
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

// section is the part of docs/ernest.md that is written.
var section = regexp.MustCompile(`(?s)(<!-- outside: written by make ernest -->\n).*(<!-- /outside -->\n)`)

// withOutside returns the document with a new section.
func withOutside(document, folder string) (string, error) {
	text, err := os.ReadFile(document)
	if err != nil {
		return "", err
	}
	at := section.FindSubmatchIndex(text)
	if at == nil {
		return "", fmt.Errorf("%s has no place for the section: %s", document, section)
	}
	jobs, err := readOutside(folder)
	if err != nil {
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
	return string(text[:at[3]]) + b.String() + string(text[at[4]:]), err
}
