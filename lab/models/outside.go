package models

import (
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

// layouts map the columns of files. Columns that are neither named here nor ignored form the job's name.
var layouts = []struct {
	prefix                   string // of the file's name
	machines, scale, seconds string // scale may be "" if all runs have the same input
	unit                     float64
	comma                    rune
	ignored                  string // columns that follow from machines or from scale
}{
	{"bell-", "Nodes", "", "Runtime", 1e-3, ',', ""},
	{"c3o-", "instance_count", "data_size_MB", "gross_runtime", 1, '\t', "slots memory lines links observations points"},
}

// readOutside reads the files of a folder that match a layout, in the order of their names.
func readOutside(folder string) ([]job, error) {
	var all []job
	for i, l := range layouts {
		files, err := filepath.Glob(filepath.Join(folder, l.prefix+"*"))
		if err != nil {
			return nil, err
		}
		for _, f := range files {
			jobs, err := readJobs(f, i)
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

// readJobs reads a file with a layout.
func readJobs(file string, layout int) ([]job, error) {
	f, err := os.Open(file)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	l := &layouts[layout]
	r := csv.NewReader(f)
	r.Comma = l.comma
	lines, err := r.ReadAll()
	if err != nil || len(lines) == 0 {
		return nil, fmt.Errorf("%s: no table: %w", file, err)
	}
	source := strings.TrimSuffix(filepath.Base(file), filepath.Ext(file))
	var jobs []job
	for n, line := range lines[1:] {
		name, row := "", ernest.Row{Machines: math.NaN(), Scale: 1, Seconds: math.NaN()}
		for i, column := range lines[0] {
			to := map[string]*float64{l.machines: &row.Machines, l.scale: &row.Scale, l.seconds: &row.Seconds}[column]
			if to == nil {
				if !slices.Contains(strings.Fields(l.ignored), column) {
					name = strings.TrimSpace(name + " " + line[i])
				}
				continue
			}
			if *to, err = strconv.ParseFloat(line[i], 64); err != nil {
				return nil, fmt.Errorf("%s:%d: %w", file, n+2, err)
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
	errors            [4]page.Numbers // of all predictions, refused or not, and of the rivals
}

// rivals are the methods that Ernest is compared with, in the order of outcome.others.
var rivals = []any{"nearest × scale/machines", "Amdahl", "next best"}

func (t *tally) add(o *outcome) {
	t.all++
	off := 0
	if o.off() {
		off = 1
	}
	if o.prediction.Refused != nil {
		t.refused, t.right = t.refused+1, t.right+off
	} else {
		t.given, t.wrong = t.given+1, t.wrong+off
		t.held = append(t.held, page.Number(o.within))
	}
	for i, s := range append([]float64{o.prediction.Seconds}, o.others...) {
		t.errors[i] = append(t.errors[i], page.Number(math.Abs(apart(s, o.actual))))
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

// tallies are the groups of predictions by file and by the split of the runs. Index 0 is for predictions among the
// training runs, index 1 for those beyond them.
type tallies struct{ byFile, byRule [2]map[string]*tally }

// tally evaluates every every-th trial of the jobs.
func tallyAll(jobs []job, every int) (*tallies, error) {
	out := &tallies{}
	for i := range 2 {
		out.byFile[i], out.byRule[i] = map[string]*tally{}, map[string]*tally{}
	}
	add := func(to map[string]*tally, name string, o *outcome) {
		if to[name] == nil {
			to[name] = &tally{}
		}
		to[name].add(o)
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
				o, side := &outcomes[k], 0
				if o.prediction.Extrapolation.Distance > 0 {
					side = 1
				}
				add(out.byFile[side], jobs[i].source, o)
				add(out.byFile[side], allFiles, o)
				add(out.byRule[side], t.rule, o)
			}
		}
	}
	return out, nil
}

// table returns the table of some tallies.
func table(title string, of map[string]*tally) string {
	var rows [][]any
	for _, name := range slices.Sorted(maps.Keys(of)) {
		rows = append(rows, of[name].row(strings.TrimPrefix(name, "~ ")))
	}
	return page.Table(append([]any{
		title, "predicted", "range held", "given, > 20 % off", "refused, > 20 % off", "Ernest",
	}, rivals...), rows)
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
	for side, where := range []string{"among", "beyond"} {
		tables = append(tables, table("file, "+where+" the training runs", all.byFile[side]))
	}
	for side, where := range []string{"among", "beyond"} {
		tables = append(tables, table("trained on, "+where+" the training runs", all.byRule[side]))
	}
	var b strings.Builder
	err = page.Write(&b, outsidePage, tables)
	return before + begin + b.String() + end + after, err
}
