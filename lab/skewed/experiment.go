package skewed

import "github.com/paratimer/paratimer/lab/skewed/phase"

// An experiment is a section of the document: the runs to make and the text to write.
type experiment struct {
	title string
	rows  []row
	write func(p printer, r []result) error
}

// A row is one setting of an experiment: a function that makes the run of a seed, and the run's watchers.
type row struct {
	run   func(seed uint64) *phase.Run
	watch func(run *phase.Run) []*watcher
}

// A result is a row's cells, by method.
type result map[string]cell

// measure runs each row with seeds 1 to n and combines the scores of a row.
func measure(rows []row, seeds int) []result {
	scores := make([]map[string]score, len(rows)*seeds)
	each(len(scores), func(i int) {
		r := rows[i/seeds]
		run := r.run(uint64(i%seeds) + 1) //nolint:gosec // a handful
		scores[i] = watch(run, r.watch(run))
	})
	results := make([]result, len(rows))
	for i := range rows {
		byName := make(map[string][]score)
		for _, seed := range scores[i*seeds : (i+1)*seeds] {
			for name, s := range seed {
				byName[name] = append(byName[name], s)
			}
		}
		results[i] = make(result)
		for name, s := range byName {
			results[i][name] = over(s)
		}
	}
	return results
}
