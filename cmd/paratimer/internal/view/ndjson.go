// Package view shows frames: lines for people and NDJSON for programs. It chooses and computes nothing; it rounds,
// words and escapes what a frame says.
package view

import (
	"encoding/json"
	"io"

	"github.com/paratimer/paratimer/cmd/paratimer/internal/frame"
)

// NDJSON shows each frame as one line of JSON.
type NDJSON struct{ enc *json.Encoder }

// NewNDJSON writes to w, one write a frame.
func NewNDJSON(w io.Writer) NDJSON {
	enc := json.NewEncoder(w)
	enc.SetEscapeHTML(false)
	return NDJSON{enc}
}

// Show writes the frame.
func (n NDJSON) Show(tick frame.Tick) error { return n.enc.Encode(tick.Frame) }
