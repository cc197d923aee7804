package notify

import (
	"bytes"
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/paratimer/paratimer/cmd/paratimer/internal/shell"
	"github.com/paratimer/paratimer/dag"
)

// lifetime is how many repost intervals an alert lives without being posted again. Prometheus uses the same number.
const lifetime = 4

// NewAlertmanager makes a sink from an address, for API v2. The members of a cluster do not share alerts: each is a
// sink of its own. It fails if the address is not a URL.
//
// Times are by the Alertmanager's clock as far as it is known. If an answer shows that the clocks differ by more than a
// repost interval, the alert is posted again: an end by our clock might be long past, or hours away.
func NewAlertmanager(address string, repost time.Duration, client *http.Client, now func() time.Time) (*Sink, error) {
	u, err := parseURL(address)
	if err != nil {
		return nil, err
	}
	if !strings.HasSuffix(u.Path, "/api/v2/alerts") {
		u = u.JoinPath("api", "v2", "alerts")
	}
	ahead := time.Duration(0) // its clock minus ours
	s := posting(keyOf("alertmanager", address), "", client,
		func(n Notification, _ string) (request, error) {
			return request{url: u, body: alertOf(n, now().Add(ahead), repost)}, nil
		},
		func(date time.Time) (again bool) {
			moved := date.Sub(now()) - ahead
			if moved.Abs() < repost {
				return false
			}
			ahead += moved
			return true
		})
	s.Repeats = true // it forgets alerts that are not posted again
	return s, nil
}

// alertOf returns the body for an instant of the Alertmanager's clock. A firing alert ends in 4 repost intervals unless
// it is posted again. So does an alert that ended before Alertmanager got it; that one is posted once.
func alertOf(n Notification, now time.Time, repost time.Duration) []byte {
	now = now.UTC().Truncate(time.Millisecond)
	m := messageOf(n)
	a := &m.Alerts[0]
	a.StartsAt, a.EndsAt = a.StartsAt.UTC(), now
	if n.Status == Firing || n.Brief {
		a.EndsAt = now.Add(lifetime * repost)
	}
	if a.StartsAt.After(now) { // a clock was set back since
		a.StartsAt = now
	}
	b, err := json.Marshal(m.Alerts)
	if err != nil {
		panic("sinks: " + err.Error()) // strings and times always encode
	}
	return b
}

// NewOpenLineage makes a sink that posts runs as events of OpenLineage 2-0-2 to a service such as Marquez. If the
// address has no path, it appends /api/v1/lineage. key is a bearer token, "" if there is none; namespace names the
// cluster.
func NewOpenLineage(address, key, namespace string, client *http.Client) (*Sink, error) {
	u, err := parseURL(address)
	if err != nil {
		return nil, err
	}
	if strings.Trim(u.Path, "/") == "" {
		u = u.JoinPath("api", "v1", "lineage")
	}
	namespace = cmp.Or(namespace, "default") // as in OpenLineage's clients
	s := posting(keyOf("openlineage", address), key, client, func(n Notification, secret string) (request, error) {
		r := request{url: u, header: http.Header{}, body: lineageOf(n, namespace)}
		if key != "" {
			r.header.Set("Authorization", "Bearer "+secret)
		}
		return r, nil
	}, nil)
	s.Runs = true
	return s, nil
}

// endTypes are the types of events at the end. It is OTHER if the end is not confirmed.
var endTypes = map[dag.State]string{dag.Succeeded: "COMPLETE", dag.Failed: "FAIL", dag.Killed: "ABORT"}

// lineageOf returns the event of a run. Its time is the newest observation's, for a start the first job's submission.
func lineageOf(n Notification, namespace string) []byte {
	kind, at := "RUNNING", n.Run.At.Time()
	switch {
	case n.Status == Resolved:
		kind = cmp.Or(endTypes[n.Run.State], "OTHER")
	case !n.Again:
		kind = "START"
		if n.Run.ElapsedSeconds != nil {
			at = at.Add(-n.Run.ElapsedSeconds.Duration())
		}
	}
	var body bytes.Buffer
	if err := builtIn.ExecuteTemplate(&body, "openlineage.tmpl", struct {
		Notification
		Type, RunID, Namespace string
		Time                   time.Time
	}{n, kind, runID(namespace, n.Workflow.ID), namespace, at.UTC().Truncate(time.Millisecond)}); err != nil {
		panic("sinks: " + err.Error()) // strings, times and finite numbers always encode
	}
	return body.Bytes()
}

// runID returns a UUID of version 8 (RFC 9562) that depends on the namespace and the workflow alone: a restarted or
// second watch sends events of the same run.
func runID(namespace, id string) string {
	b := sha256.Sum256([]byte(namespace + "\n" + id))
	b[6], b[8] = b[6]&0x0f|0x80, b[8]&0x3f|0x80
	return fmt.Sprintf("%x-%x-%x-%x-%x", b[:4], b[4:6], b[6:8], b[8:10], b[10:16])
}

// commandAttempts is how often a failing command is tried: with the back-off, for about a quarter of an hour.
const commandAttempts = 10

// commandGrace is how long a command that takes too long has between SIGTERM and SIGKILL.
const commandGrace = time.Second

// NewCommand makes a sink that runs a shell command for each notification, at least once. text makes its standard
// input: one of Inputs, the text of a template over Message, or "" for the notification's JSON. The command gets env
// without ParaTimer's own settings, which may contain secrets such as the webhook's. It fails after limit.
func NewCommand(line, text string, limit time.Duration, env []string) (*Sink, error) {
	write, err := bodyOf(text, Inputs)
	if err != nil {
		return nil, err
	}
	env = slices.DeleteFunc(slices.Clone(env), func(e string) bool {
		return strings.HasPrefix(e, "PARATIMER_") || strings.HasPrefix(e, "OPENLINEAGE_API_KEY=")
	})
	return &Sink{
		Key: keyOf("exec", line), Attempts: commandAttempts,
		Send: func(ctx context.Context, n Notification) (string, error) {
			in, err := write(n, "")
			if err != nil {
				return "", &Failure{Refused: true, Err: err}
			}
			late := fmt.Errorf("it did not end within exec-timeout %v", limit)
			ctx, cancel := context.WithTimeoutCause(ctx, limit, late)
			defer cancel()
			in = append(in, '\n')
			out := shell.Shell{In: bytes.NewReader(in), Env: env, Now: time.Now, Grace: commandGrace}.Run(ctx, line)
			said := ""
			if out.Output != "" {
				said = fmt.Sprintf(": %q", out.Output)
			}
			if out.Err != nil {
				return "", fmt.Errorf("the command failed: %w%s", out.Err, said)
			}
			return "the command succeeded" + said, nil
		},
		Preview: func(n Notification) ([]byte, error) { return write(n, "") },
	}, nil
}

// NoTarget is a sink without a target. A dry run without other sinks uses it to print all notifications.
var NoTarget = &Sink{
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
