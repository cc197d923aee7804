package notify

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"fmt"
	"net/http"
	"strings"
	"time"

	"github.com/paratimer/paratimer/dag"
)

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
