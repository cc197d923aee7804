package engine

import (
	"context"
	"errors"
	"slices"

	"github.com/paratimer/paratimer/adapters/recording"
)

// A Past is what files have of finished runs, of all engines.
type Past struct {
	Runs    []recording.Run
	LeftOut []recording.Skipped
	Failed  []PastError // places without anything usable
}

// A PastError is the error of a place.
type PastError struct {
	Place recording.Place
	Err   error
}

// ErrNoHistory means that a file is not a history of a known engine.
var ErrNoHistory = errors.New("neither a job history file nor a Rumen trace, nor a history file of Tez or an event log of Spark")

// IsPast reports whether a file or folder may have finished runs of some engine.
func IsPast(p recording.Place) bool {
	return slices.ContainsFunc(table, func(e Engine) bool { return e.IsPast != nil && e.IsPast(p) })
}

// ReadPast reads the finished runs in places. A place may have those of several engines.
func ReadPast(ctx context.Context, places ...recording.Place) (Past, error) {
	var readers []recording.PastReader
	for _, e := range table {
		if e.Past != nil {
			readers = append(readers, e.Past())
		}
	}
	var past Past
	for _, p := range places {
		isUsed, failure := false, ErrNoHistory
		for i := len(readers) - 1; i >= 0; i-- {
			has, err := readers[i].Read(ctx, p)
			if ctx.Err() != nil {
				return past, context.Cause(ctx)
			}
			isUsed = isUsed || has && err == nil
			if err != nil {
				failure = err
			}
			if has && !p.IsFolder() {
				break // a file is of one engine
			}
		}
		if !isUsed {
			past.Failed = append(past.Failed, PastError{p, failure})
		}
	}
	for i := len(readers) - 1; i >= 0; i-- {
		runs, leftOut := readers[i].Runs()
		past.Runs, past.LeftOut = append(past.Runs, runs...), append(past.LeftOut, leftOut...)
	}
	return past, nil
}
