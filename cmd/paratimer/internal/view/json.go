package view

import (
	"encoding/json"
	"io"
)

// JSON writes v for programs, with <, > and & as they are. Lines are indented by indent a level; if it is empty, v is
// one line.
func JSON(w io.Writer, v any, indent string) error {
	enc := json.NewEncoder(w)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", indent)
	return enc.Encode(v)
}

// List is all, and never null in JSON.
func List[T any](all []T) []T {
	if all == nil {
		return []T{}
	}
	return all
}
