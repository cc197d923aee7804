package models

import (
	"encoding/csv"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strconv"

	"github.com/paratimer/paratimer/estimators/queueing/servers"
)

const machineTitle = "Jobs side by side on one machine"

// machine returns the errors of the model of one machine on times measured by others: parallel jobs, seconds.
func machine(file, before string) section {
	rows, err := readJobs(file)
	if errors.Is(err, fs.ErrNotExist) {
		return kept(machineTitle, before, file)
	}
	return section{machineTitle, func(p printer) error {
		if err != nil {
			return err
		}
		titles := []string{"trained on", "to predict", "servers learned", "mva", "mva-threads"}
		head(p, append(titles, servers.Baselines...)...)
		for _, c := range []struct{ upTo, given int }{{1, 32}, {32, 0}, {32, 32}, {35, 0}, {40, 0}, {48, 0}} {
			scores, err := servers.Score(rows, c.upTo, servers.Options{Servers: c.given})
			if err != nil {
				return err
			}
			name := fmt.Sprintf("1 to %d jobs", c.upTo)
			if c.given > 0 {
				name += fmt.Sprintf(", told that there are %d servers", c.given)
			}
			learned := fmt.Sprint(scores[0].Model.Servers)
			if scores[0].Model.Unseen {
				learned += " at least"
			}
			cells := []string{name, fmt.Sprint(scores[0].Predicted + scores[0].Refused), learned}
			for _, s := range scores {
				cell := "nothing"
				if s.Mean.Known() {
					cell = fmt.Sprintf("%.1f %% / %.1f %%", 100*s.Mean, 100*s.Max)
				}
				if s.Predicted > 0 && s.Refused > 0 {
					cell += fmt.Sprintf(" (refused: %d)", s.Refused)
				}
				cells = append(cells, cell)
			}
			p("%s", line(cells...))
		}
		p("")
		p("%s", machineWords)
		return nil
	}}
}

// readJobs reads the first two columns of a CSV with a header.
func readJobs(file string) ([]servers.Row, error) {
	f, err := os.Open(file)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	lines, err := csv.NewReader(f).ReadAll()
	if err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	var rows []servers.Row
	for i, l := range lines {
		if i == 0 {
			continue
		}
		jobs, badJobs := strconv.Atoi(l[0])
		seconds, badSeconds := strconv.ParseFloat(l[1], 64)
		if err := errors.Join(badJobs, badSeconds); err != nil {
			return nil, fmt.Errorf("%s:%d: %w", file, i+1, err)
		}
		rows = append(rows, servers.Row{Jobs: jobs, Seconds: seconds})
	}
	return rows, nil
}
