package models

import (
	"errors"
	"fmt"
	"io/fs"
	"math"
	"os"
	"slices"
	"strings"

	"github.com/paratimer/paratimer/estimators/ernest"
)

// A tally counts the outcomes of a group of predictions.
type tally struct {
	// All predictions; those that were not refused; those of these that are off by more than the limit.
	all, given, wrong int
	refused, right    int // right: refused predictions that are off by more than the limit
	held, ranged      float64
	errors            []float64 // of all predictions, refused or not
	rivals            [3][]float64
}

// rivalTitles are the methods that Ernest is compared with, in the order of outcome.others.
var rivalTitles = []string{"nearest × scale/machines", "Amdahl", "next best"}

func (t *tally) add(o *outcome) {
	t.all++
	switch off := o.off(); {
	case o.prediction.Refused != nil:
		t.refused++
		if off {
			t.right++
		}
	default:
		t.given++
		if off {
			t.wrong++
		}
		if !math.IsNaN(o.within) {
			t.held, t.ranged = t.held+o.within, t.ranged+1
		}
	}
	if e := math.Abs(o.prediction.Seconds/o.actual - 1); !math.IsNaN(e) {
		t.errors = append(t.errors, e)
	}
	for i, s := range o.others {
		if e := math.Abs(s/o.actual - 1); !math.IsNaN(e) {
			t.rivals[i] = append(t.rivals[i], e)
		}
	}
}

// row returns the tally's line of the table.
func (t *tally) row(name string) string {
	median := func(v []float64) string {
		if len(v) == 0 {
			return "-"
		}
		slices.Sort(v)
		return fmt.Sprintf("%.1f %%", 100*v[len(v)/2])
	}
	share := func(n, of int) string {
		if of == 0 {
			return "-"
		}
		return fmt.Sprintf("%d of %d", n, of)
	}
	held := "-"
	if t.ranged > 0 {
		held = fmt.Sprintf("%.0f %%", 100*t.held/t.ranged)
	}
	cells := []string{
		name, fmt.Sprint(t.all), held, share(t.wrong, t.given), share(t.right, t.refused),
		median(t.errors),
	}
	for i := range t.rivals {
		cells = append(cells, median(t.rivals[i]))
	}
	return line(cells...)
}

// tallies evaluates every every-th trial of the jobs, by file and by the split of the runs. Index 0 is for
// predictions among the training runs, index 1 for those beyond them.
func tallies(jobs []job, every int) (byFile, byRule [2]map[string]*tally, err error) {
	for i := range 2 {
		byFile[i], byRule[i] = map[string]*tally{}, map[string]*tally{}
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
			outcomes, err := t.predict(ernest.FitOptions{})
			if err != nil {
				return byFile, byRule, fmt.Errorf("%s %s: %w", t.job.source, t.job.name, err)
			}
			for k := range outcomes {
				side := 0
				if outcomes[k].prediction.Extrapolation.Distance > 0 {
					side = 1
				}
				add(byFile[side], t.job.source, &outcomes[k])
				add(byFile[side], allFiles, &outcomes[k])
				add(byRule[side], t.rule, &outcomes[k])
			}
		}
	}
	return byFile, byRule, nil
}

// allFiles sorts after the names of files.
const allFiles = "~ all"

// outside returns the errors of Ernest on runs that others have measured, in other clusters and with other programs.
func outside(folder string) section {
	const title = outsideTitle
	return section{title, func(p printer) error {
		jobs, err := readOutside(folder)
		if err != nil {
			return err
		}
		byFile, byRule, err := tallies(jobs, 1)
		if err != nil {
			return err
		}
		p("%s", outsideWords)
		for _, part := range []struct {
			title   string
			tallies [2]map[string]*tally
		}{{"file", byFile}, {"trained on", byRule}} {
			for side, where := range []string{"among the training runs", "beyond the training runs"} {
				p("")
				head(p, part.title+", "+where, "predicted", "range held", "given, > 20 % off", "refused, > 20 % off",
					"Ernest", rivalTitles[0], rivalTitles[1], rivalTitles[2])
				names := make([]string, 0, len(part.tallies[side]))
				for name := range part.tallies[side] {
					names = append(names, name)
				}
				slices.Sort(names)
				for _, name := range names {
					p("%s", part.tallies[side][name].row(strings.TrimPrefix(name, "~ ")))
				}
			}
		}
		return nil
	}}
}

const outsideTitle = "On runs of other people"

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
	var b strings.Builder
	p := func(format string, args ...any) {
		b.WriteString(strings.TrimRight(fmt.Sprintf(format, args...), "\n") + "\n")
	}
	s := outside(folder)
	p("## %s", s.title)
	p("")
	switch err := s.write(p); {
	case errors.Is(err, fs.ErrNotExist):
		fmt.Fprintf(os.Stderr, "models: SKIPPED %q, as %s is missing\n", s.title, folder)
		return string(text), nil
	case err != nil:
		return "", err
	}
	return before + begin + b.String() + end + after, nil
}
