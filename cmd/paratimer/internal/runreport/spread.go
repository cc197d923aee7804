package runreport

import (
	"slices"
	"time"

	"github.com/paratimer/paratimer/cmd/paratimer/internal/frame"
	"github.com/paratimer/paratimer/dag"
)

// A Spread has quantiles of the lengths of finished tasks, from start to end.
type Spread struct {
	Tasks  int           `json:"tasks"`
	Min    frame.Seconds `json:"min"`
	Median frame.Seconds `json:"median"`
	P90    frame.Seconds `json:"p90"`
	Max    frame.Seconds `json:"max"`
}

// spreadOf returns nil if no task has finished.
func spreadOf(list []dag.Attempt) *Spread {
	var all []time.Duration
	for i := range list {
		if a := &list[i]; a.State == dag.AttemptSucceeded && a.Start.Known() && a.End >= a.Start {
			all = append(all, a.End.Sub(a.Start))
		}
	}
	if len(all) == 0 {
		return nil
	}
	slices.Sort(all)
	at := func(q float64) frame.Seconds { return frame.SecondsOf(all[int(q*float64(len(all)-1))]) }
	return &Spread{Tasks: len(all), Min: at(0), Median: at(0.5), P90: at(0.9), Max: at(1)}
}
