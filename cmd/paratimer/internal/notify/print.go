package notify

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
)

// Nobody is a sink without a target. A dry run without other sinks uses it to print all notifications.
var Nobody = &Sink{
	Key: "nobody", Preview: func(n Notification) ([]byte, error) { return json.Marshal(n) },
}

// DryRun returns a sink that prints what another sink would send, one JSON object a line, and sends nothing. Repeats of
// alerts are not printed.
func DryRun(s *Sink, w io.Writer) *Sink {
	send := func(_ context.Context, n Notification) (string, error) {
		body, err := s.Preview(n)
		if err == nil && !json.Valid(body) {
			body, err = json.Marshal(string(body))
		}
		if err == nil {
			err = json.NewEncoder(w).Encode(struct {
				DryRun bool            `json:"dry_run"`
				Sink   string          `json:"sink"`
				ID     string          `json:"id"`
				Status Status          `json:"status"`
				Would  json.RawMessage `json:"would_send"`
			}{true, s.Key, n.ID, n.Status, body})
		}
		if err != nil {
			return "", &Failure{Refused: true, Err: fmt.Errorf("cannot print what would be sent: %w", err)}
		}
		return "not sent, as --dry-run asks", nil
	}
	return &Sink{Key: s.Key, Runs: s.Runs, Send: send, Preview: s.Preview}
}
