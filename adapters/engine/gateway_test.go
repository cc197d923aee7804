package engine

import (
	"context"
	"crypto/tls"
	"errors"
	"io"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/paratimer/paratimer/adapters/mapreduce"
	"github.com/paratimer/paratimer/adapters/recording"
	"github.com/paratimer/paratimer/adapters/rest"
	"github.com/paratimer/paratimer/adapters/tez"
	"github.com/paratimer/paratimer/adapters/yarn"
	"github.com/paratimer/paratimer/dag"
	"github.com/paratimer/paratimer/internal/testkit/fixtures"
)

// TestThroughGateway: a recorded run watched through a gateway, over TLS and with a password, is the run that was
// recorded; a capture of that plays to the same end, and nothing secret is in it.
func TestThroughGateway(t *testing.T) {
	files := recordings(t)
	file := files[0]
	for _, f := range files {
		if strings.HasPrefix(filepath.Base(f), "join-1.") {
			file = f
		}
	}
	o := recording.Options{Every: 10 * time.Second}
	want, _ := play(t, open(t, file), o)

	rec := open(t, file)
	p := tez.NewPlayer(rec)
	rm := yarn.RecordedManager(rec)
	knox := fixtures.NewGateway(fixtures.GatewayOptions{RM: rm, JHS: rm, User: "alice", Password: "hu-sh", Transport: p})
	ca := fixtures.NewAuthority(t, "ca")
	s := httptest.NewUnstartedServer(knox)
	s.TLS = &tls.Config{Certificates: []tls.Certificate{ca.Issue("knox", nil, "127.0.0.1")}}
	s.StartTLS()
	defer s.Close()
	site, err := yarn.RMSite(s.URL+"/gateway/default", "")
	if err != nil {
		t.Fatal(err)
	}
	auth, err := rest.Basic("alice", "hu-sh", site.Bases()...)
	if err != nil {
		t.Fatal(err)
	}
	captured := filepath.Join(t.TempDir(), "gateway.jsonl")
	w, err := recording.CreateAnswers(captured, p.Now)
	if err != nil {
		t.Fatal(err)
	}
	client, err := mapreduce.NewClient(site, rest.Options{
		CAFile: ca.File(), Auth: auth, Now: p.Now, Tap: w.Layer,
		Connect: time.Minute, // a handshake under the race detector takes seconds on a busy machine
	})
	if err != nil {
		t.Fatal(err)
	}
	defer client.Close()
	target, err := mapreduce.RecordedTarget(rec, "")
	if err != nil {
		t.Fatal(err)
	}
	target.Made = p.Made
	src := recording.NewReplay(rec, rec.Polls(yarn.IsPoll), o.Every)
	target.Final, src.Seek, src.Source = src.Last, p.Seek, mapreduce.NewSource(client, target)
	var got []*dag.Snapshot
	for {
		s, err := src.Next(t.Context())
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			t.Fatalf("after %d snapshots: %v", len(got), err)
		}
		got = append(got, s)
	}
	same(t, "through the gateway", got, want)
	if _, n := knox.Requests(); n > 4 { // requests that were under way before the first answer
		t.Errorf("the password was looked at %d times", n)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	file2, err := os.Open(captured)
	if err != nil {
		t.Fatal(err)
	}
	defer file2.Close()
	_, in, err := recording.Sniff(file2)
	if err != nil {
		t.Fatal(err)
	}
	left, err := io.ReadAll(in)
	if err != nil || len(left) == 0 {
		t.Fatal(err)
	}
	for _, secret := range []string{"hu-sh", "YWxpY2U6aHUtc2g", "JSESSIONID", "Authorization"} {
		if strings.Contains(string(left), secret) {
			t.Errorf("%s is in the capture", secret)
		}
	}
	again, _ := play(t, open(t, captured), recording.Options{Workflow: target.ID})
	// Its answers bear the times of the ticks, not those of the requests that were recorded.
	if end, last := again[len(again)-1], want[len(want)-1]; len(again) != len(want) || end.State != last.State ||
		end.ID != last.ID || len(end.Jobs) != len(last.Jobs) {
		t.Errorf("its capture ends %s with %d jobs after %d snapshots, want %s, %d, %d", end.State, len(end.Jobs),
			len(again), last.State, len(last.Jobs), len(want))
	}
}

// same compares what tapes of the runs would hold.
func same(t *testing.T, what string, got, want []*dag.Snapshot) {
	t.Helper()
	if a, b := taped(t, got), taped(t, want); a != b {
		n := 0
		for n < min(len(a), len(b)) && a[n] == b[n] {
			n++
		}
		t.Errorf("%s: %d snapshots, want %d; they differ after %d bytes:\n%.300s\nwant:\n%.300s", what, len(got),
			len(want), n, a[max(0, n-80):], b[max(0, n-80):])
	}
}

func taped(t *testing.T, run []*dag.Snapshot) string {
	t.Helper()
	var b strings.Builder
	tee := recording.Tee(&script{run}, &b)
	for range run {
		if _, err := tee.Next(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	return b.String()
}

type script struct{ left []*dag.Snapshot }

func (s *script) Next(context.Context) (*dag.Snapshot, error) {
	next := s.left[0]
	s.left = s.left[1:]
	return next, nil
}
