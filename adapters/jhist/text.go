package jhist

import (
	"bufio"
	"encoding/json"
	"errors"
	"io"
	"strings"

	"github.com/paratimer/paratimer/adapters/internal/input"
)

// text reads events in Avro's JSON encoding. Union values are objects with one key, the type's name.
type text struct{ in *bufio.Reader }

func (t *text) next(e *event) error {
	var blank input.Streak
	for {
		l, err := line(t.in, maxEvent)
		cut := errors.Is(err, io.ErrUnexpectedEOF)
		if err != nil && !cut {
			return err
		}
		if l = strings.TrimSpace(l); l == "" {
			if cut {
				return io.EOF
			}
			if err := blank.Bad(); err != nil {
				return err
			}
			continue
		}
		switch bad := decode([]byte(l), e); {
		case bad == nil && json.Valid([]byte(l)):
			return nil // valid even if the line's end is missing
		case cut:
			return io.ErrUnexpectedEOF
		default:
			return errBad
		}
	}
}

// decode parses one event. It returns an error only if the text is not an event.
func decode(b []byte, e *event) error {
	var w struct {
		Type string                     `json:"type"`
		Body map[string]json.RawMessage `json:"event"`
	}
	if err := json.Unmarshal(b, &w); err != nil || w.Type == "" {
		return errBad
	}
	e.kind = w.Type
	if !wanted[w.Type] {
		return nil
	}
	if len(w.Body) != 1 {
		return errBad
	}
	for _, body := range w.Body {
		if err := json.Unmarshal(body, &e.body); err != nil {
			return errBad
		}
	}
	return nil
}
