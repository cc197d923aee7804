package story

import (
	"encoding/json"
	"io"
)

// JSON writes the story. Unknown is null.
func (s *Story) JSON(w io.Writer) error {
	enc := json.NewEncoder(w)
	enc.SetEscapeHTML(false)
	return enc.Encode(s)
}
