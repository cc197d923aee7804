package runreport

import (
	"encoding/json"
	"io"
)

// JSON writes the report. Unknown is null.
func (s *Report) JSON(w io.Writer) error {
	enc := json.NewEncoder(w)
	enc.SetEscapeHTML(false)
	return enc.Encode(s)
}
