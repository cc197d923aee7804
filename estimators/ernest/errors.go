package ernest

import "fmt"

// A RowError says which row cannot be, and why.
type RowError struct {
	Row    int    // index from 0
	Column string // machines, scale, seconds, iterations
	Value  float64
	Reason string
}

func (e *RowError) Error() string {
	return fmt.Sprintf("row %d: %s %v: %s", e.Row+1, e.Column, e.Value, e.Reason)
}

// A SpaceError says why a space has no design, and what to change.
type SpaceError struct {
	Field  string // of Space; empty where no single one is to blame
	Reason string
}

func (e *SpaceError) Error() string {
	if e.Field == "" {
		return "no design: " + e.Reason
	}
	return fmt.Sprintf("no design: %s: %s", e.Field, e.Reason)
}

// A DoubtError says why a model, or a prediction of it, must give no number unless forced. Code is stable.
type DoubtError struct {
	Code, Text string
}

func (e *DoubtError) Error() string { return e.Text }

// A TermError says which term cannot be in a model, and why.
type TermError struct {
	Term   Term
	Reason string
}

func (e *TermError) Error() string { return fmt.Sprintf("term %s: %s", e.Term, e.Reason) }

// An OfferError says which offer cannot be, and why.
type OfferError struct {
	Offer, Reason string
}

func (e *OfferError) Error() string { return fmt.Sprintf("offer %q: %s", e.Offer, e.Reason) }
