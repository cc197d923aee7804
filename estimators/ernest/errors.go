package ernest

import "fmt"

// A RowError names an invalid row and the reason.
type RowError struct {
	Row    int    // index from 0
	Column string // machines, scale, seconds, iterations
	Value  float64
	Reason string
}

func (e *RowError) Error() string {
	return fmt.Sprintf("row %d: %s %v: %s", e.Row+1, e.Column, e.Value, e.Reason)
}

// A SpaceError gives the reason why a space has no design, and what to change.
type SpaceError struct {
	Field  string // field of Space; empty if no single field is the cause
	Reason string
}

func (e *SpaceError) Error() string {
	if e.Field == "" {
		return "no design: " + e.Reason
	}
	return fmt.Sprintf("no design: %s: %s", e.Field, e.Reason)
}

func noDesign(field, format string, args ...any) error {
	return &SpaceError{field, fmt.Sprintf(format, args...)}
}

// A DoubtError gives the reason why a model or a prediction must give no number unless forced. Code is stable.
type DoubtError struct {
	Code, Text string
}

func (e *DoubtError) Error() string { return e.Text }

func doubt(code, format string, args ...any) error {
	return &DoubtError{code, fmt.Sprintf(format, args...)}
}

// A TermError names a term that cannot be in a model, and the reason.
type TermError struct {
	Term   Term
	Reason string
}

func (e *TermError) Error() string { return fmt.Sprintf("term %s: %s", e.Term, e.Reason) }

// An OfferError names an invalid offer and the reason.
type OfferError struct {
	Offer, Reason string
}

func (e *OfferError) Error() string { return fmt.Sprintf("offer %q: %s", e.Offer, e.Reason) }

// A Warning is a remark to show with a number. Codes are stable, texts are for people.
type Warning struct {
	Code string `json:"code"`
	Text string `json:"text"`
}

func warning(code, format string, args ...any) Warning {
	return Warning{code, fmt.Sprintf(format, args...)}
}
