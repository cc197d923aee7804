package view

import (
	"encoding/json"
	"io"
)

// JSON writes v, with <, > and & as they are. Each level is indented by indent; if it is empty, v is one line.
func JSON(w io.Writer, v any, indent string) error {
	enc := json.NewEncoder(w)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", indent)
	return enc.Encode(v)
}

// List returns all, or an empty list for nil: JSON then has [] and not null.
func List[T any](all []T) []T {
	if all == nil {
		return []T{}
	}
	return all
}
