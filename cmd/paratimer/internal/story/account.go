package story

import (
	"github.com/paratimer/paratimer/cmd/paratimer/internal/frame"
	"github.com/paratimer/paratimer/dag"
	"github.com/paratimer/paratimer/estimators"
)

// An Account says where the time went, along the critical path: its parts follow each other from 0 to the end and add up.
type Account struct {
	Says   string  `json:"says"`
	Parts  []Part  `json:"parts"`
	Causes []Cause `json:"causes"` // in a fixed order, those with a time
}

// A Part is a stretch of the critical path with one cause.
type Part struct {
	Cause        string        `json:"cause"`
	Job          *string       `json:"job"` // node; null between jobs
	Task         *string       `json:"task"`
	StartSeconds frame.Seconds `json:"start_seconds"`
	EndSeconds   frame.Seconds `json:"end_seconds"`
}

// A Cause is what all parts of one cause take together.
type Cause struct {
	Cause   string        `json:"cause"`
	Title   string        `json:"title"`
	Meaning string        `json:"meaning"`
	Seconds frame.Seconds `json:"seconds"`
	Ratio   *frame.Ratio  `json:"ratio"`
}

// accountOf says where the time of a run went so far.
func accountOf(_ dag.Run, _ estimators.Model) (Account, error) {
	return Account{Parts: []Part{}, Causes: []Cause{}}, nil
}
