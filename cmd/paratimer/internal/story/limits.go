package story

import (
	"github.com/paratimer/paratimer/cmd/paratimer/internal/frame"
)

// Limits are how long the run would have taken if one thing had been otherwise: the answers of whatif.
type Limits struct {
	Says string  `json:"says"`
	Rows []Limit `json:"rows"`
}

// A Limit is one answer.
type Limit struct {
	Question     string         `json:"question"`
	Change       string         `json:"change"` // as flags of whatif
	TotalSeconds *frame.Seconds `json:"total_seconds"`
	GainSeconds  *frame.Seconds `json:"gain_seconds"` // sooner; negative: later
	Doubt        *string        `json:"doubt"`
}
