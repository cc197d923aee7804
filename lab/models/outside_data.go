package models

import (
	"encoding/csv"
	"fmt"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/paratimer/paratimer/estimators/ernest"
)

// A job is the runs of one program with one set of parameters on one type of machine.
type job struct {
	source string // the file, without its extension
	name   string // the values of the columns that identify the job; "" if the file has only one job
	rows   []ernest.Row
}

// A layout maps the columns of a file. unit is the unit of times in seconds. Columns that are neither named here nor
// ignored form the job's name.
type layout struct {
	prefix                   string // of the file's name
	machines, scale, seconds string // scale may be "" if all runs have the same input
	unit                     float64
	comma                    rune
	ignored                  []string // columns that follow from machines or from scale
}

var layouts = []layout{
	{"bell-", "Nodes", "", "Runtime", 1e-3, ',', nil},
	{"c3o-", "instance_count", "data_size_MB", "gross_runtime", 1, '\t', []string{
		"slots", "memory", "lines", "links",
		"observations", "points",
	}},
}

// readOutside reads the files of a folder that match a layout, in the order of their names.
func readOutside(folder string) ([]job, error) {
	files, err := os.ReadDir(folder)
	if err != nil {
		return nil, err
	}
	var all []job
	for _, f := range files {
		i := slices.IndexFunc(layouts, func(l layout) bool { return strings.HasPrefix(f.Name(), l.prefix) })
		if i < 0 {
			continue
		}
		jobs, err := layouts[i].read(filepath.Join(folder, f.Name()))
		if err != nil {
			return nil, err
		}
		all = append(all, jobs...)
	}
	if len(all) == 0 {
		return nil, fmt.Errorf("%s has no table of runtimes: %w", folder, fs.ErrNotExist)
	}
	return all, nil
}

func (l *layout) read(file string) ([]job, error) {
	f, err := os.Open(file)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	r := csv.NewReader(f)
	r.Comma = l.comma
	lines, err := r.ReadAll()
	if err != nil || len(lines) == 0 {
		return nil, fmt.Errorf("%s: no table: %w", file, err)
	}
	source := strings.TrimSuffix(filepath.Base(file), filepath.Ext(file))
	var jobs []job
	at := map[string]int{}
	for n, line := range lines[1:] {
		key, row := "", ernest.Row{Machines: math.NaN(), Scale: 1, Seconds: math.NaN()}
		for i, name := range lines[0] {
			var to *float64
			switch name {
			case l.machines:
				to = &row.Machines
			case l.scale:
				to = &row.Scale
			case l.seconds:
				to = &row.Seconds
			default:
				if !slices.Contains(l.ignored, name) {
					key = strings.TrimSpace(key + " " + line[i])
				}
				continue
			}
			if *to, err = strconv.ParseFloat(line[i], 64); err != nil {
				return nil, fmt.Errorf("%s:%d: %w", file, n+2, err)
			}
		}
		row.Seconds *= l.unit
		if _, ok := at[key]; !ok {
			at[key] = len(jobs)
			jobs = append(jobs, job{source: source, name: key})
		}
		jobs[at[key]].rows = append(jobs[at[key]].rows, row)
	}
	return jobs, nil
}
