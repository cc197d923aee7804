package ernest

import "fmt"

// An InputError names an input that cannot be used, and says what to change.
type InputError struct {
	Row    int    // the row's number from 1; 0 if the input is no row
	Field  string // of a Row or a Space, a term or an offer; "" if no single one is the cause
	Reason string
}

func (e *InputError) Error() string {
	text := e.Reason
	if e.Field != "" {
		text = e.Field + ": " + text
	}
	if e.Row > 0 {
		text = fmt.Sprintf("row %d: %s", e.Row, text)
	}
	return text
}

func bad(field, format string, args ...any) error {
	return &InputError{0, field, fmt.Sprintf(format, args...)}
}

// A Warning is a remark to show with a number, or the reason why there is none. Codes are stable, texts are for people.
type Warning struct {
	Code string `json:"code"`
	Text string `json:"text"`
}

func warning(code, format string, args ...any) Warning {
	return Warning{code, fmt.Sprintf(format, args...)}
}

// doubt returns the reason why a model or a prediction must give no number unless forced.
func doubt(code, format string, args ...any) *Warning {
	w := warning(code, format, args...)
	return &w
}
