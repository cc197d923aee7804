package notify_test

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/paratimer/paratimer/cmd/paratimer/internal/frame"
	"github.com/paratimer/paratimer/cmd/paratimer/internal/notify"
)

func TestWebhook(t *testing.T) {
	s := newServer(t, nil)
	k := newDesk(t, nil, newWebhook(t, s.URL+"/token-tok", ""))
	k.keep(frame.OnTrack, "")
	k.keep(frame.AtRisk, "")
	k.keep(frame.Late, "")
	k.keep(frame.Ended, frame.Missed)
	var sent []string
	keys := map[string]bool{}
	for _, r := range s.all() {
		var m notify.Message
		if err := json.Unmarshal(r.body, &m); err != nil {
			t.Fatal(err)
		}
		if len(m.Alerts) != 1 || m.Version != "4" || m.Alerts[0].Fingerprint == "" || m.Alerts[0].Status != m.Status {
			t.Errorf("%s", r.body)
		}
		sent = append(sent, string(m.Status)+" "+string(m.ParaTimer.Alert.State))
		keys[r.header.Get("Idempotency-Key")] = true
		mac := hmac.New(sha256.New, []byte("hush"))
		mac.Write(r.body)
		if got := r.header.Get("X-ParaTimer-Signature"); got != "sha256="+hex.EncodeToString(mac.Sum(nil)) {
			t.Errorf("signature %q", got)
		}
		if r.header.Get("Content-Type") != "application/json" {
			t.Errorf("headers %v", r.header)
		}
	}
	if got := strings.Join(sent, ", "); got != "firing at_risk, firing late, resolved ended" || len(keys) != 3 {
		t.Errorf("sent %q with %d keys", got, len(keys))
	}
}

// TestWebhookAgain: a notification that is not accepted is sent again, the same to the byte.
func TestWebhookAgain(t *testing.T) {
	s := newServer(t, code(500))
	k := newDesk(t, nil, newWebhook(t, s.URL, ""))
	k.keep(frame.Late, "")
	k.flush()
	if n := len(s.all()); n != 1 {
		t.Fatalf("%d requests at once, want 1 and a wait", n)
	}
	k.pass(time.Hour)
	n := len(s.all())
	if n < 10 || n > 40 {
		t.Errorf("%d requests in an hour, want a back-off that doubles up to five minutes", n)
	}
	s.respond(nil)
	k.pass(6 * time.Minute)
	all := s.all()
	if len(all) != n+1 {
		t.Errorf("%d requests once it answers, want one", len(all)-n)
	}
	for _, r := range all {
		if string(r.body) != string(all[0].body) ||
			r.header.Get("Idempotency-Key") != all[0].header.Get("Idempotency-Key") {
			t.Fatal("it is another request the second time")
		}
	}
}

// TestRetryAfter: a sink's Retry-After is obeyed, up to a limit.
func TestRetryAfter(t *testing.T) {
	for _, c := range []struct {
		code   int
		header string
		within [2]time.Duration // when it comes again
	}{
		{429, "120", [2]time.Duration{119 * time.Second, 122 * time.Second}},
		{503, "30", [2]time.Duration{29 * time.Second, 32 * time.Second}},
		{429, "999999", [2]time.Duration{899 * time.Second, 902 * time.Second}},
		{429, "Sun, 06 Jun 2010 09:01:40 GMT", [2]time.Duration{99 * time.Second, 102 * time.Second}},
		{429, "soon", [2]time.Duration{0, 3 * time.Second}},
		{429, "-5", [2]time.Duration{0, 3 * time.Second}},
	} {
		s := newServer(t, func(w http.ResponseWriter) {
			w.Header().Set("Date", "Sun, 06 Jun 2010 09:00:00 GMT")
			w.Header().Set("Retry-After", c.header)
			w.WriteHeader(c.code)
		})
		k := newDesk(t, nil, newWebhook(t, s.URL, ""))
		k.keep(frame.Late, "")
		start := k.time
		for len(s.all()) < 2 && k.time < start+time.Hour {
			k.pass(time.Second)
		}
		if took := k.time - start; took < c.within[0] || took > c.within[1] {
			t.Errorf("%d, Retry-After %s: comes again after %v, want %v", c.code, c.header, took, c.within)
		}
	}
}

// TestWebhookRefused: what will never be taken is dropped, out loud, and what comes after is sent.
func TestWebhookRefused(t *testing.T) {
	for _, n := range []int{400, 401, 404, 410, 413} {
		s := newServer(t, code(n))
		k := newDesk(t, nil, newWebhook(t, s.URL+"/token-tok", ""))
		k.keep(frame.AtRisk, "")
		k.pass(time.Hour)
		if got := len(s.all()); got != 1 {
			t.Errorf("%d: sent %d times, want once", n, got)
		}
		if log := k.log.String(); !strings.Contains(log, "dropped") || strings.Contains(log, "tok\"") ||
			strings.Contains(log, "hush") {
			t.Errorf("%d: log %s", n, log)
		}
		s.respond(nil)
		k.keep(frame.Late, "")
		if got := k.d.Stats()[0]; got.Sent != 1 || got.Dropped != 1 {
			t.Errorf("%d: %+v", n, got)
		}
	}
	for _, n := range []int{408, 301, 307} { // not followed, but retried
		s := newServer(t, code(n))
		k := newDesk(t, nil, newWebhook(t, s.URL, ""))
		k.keep(frame.AtRisk, "")
		if got := k.d.Stats()[0]; got.Waiting != 1 {
			t.Errorf("%d: %+v", n, got)
		}
	}
}

// TestQueueLimit checks that a full queue drops the oldest notification, with a warning, and always sends the newest.
func TestQueueLimit(t *testing.T) {
	s := newServer(t, code(500))
	k := newDesk(t, open(t, t.TempDir()), newWebhook(t, s.URL, ""))
	for range 5 {
		k.keep(frame.Late, "")
		k.keep(frame.OnTrack, "")
	}
	if got := k.d.Stats()[0]; got.Waiting != 5 || got.Dropped != 5 ||
		!strings.Contains(k.log.String(), "oldest are dropped") {
		t.Errorf("%+v, want five of ten kept and the others dropped out loud", got)
	}
	before := len(s.all())
	s.respond(nil)
	k.pass(10 * time.Minute)
	all := s.all()[before:]
	if len(all) != 5 || !strings.HasSuffix(all[4].header.Get("Idempotency-Key"), "resolved") {
		t.Errorf("%d were sent", len(all))
	}
}

func TestWebhookTemplate(t *testing.T) {
	s := newServer(t, nil)
	k := newDesk(t, nil, newWebhook(t, s.URL,
		`{"text": {{ json .ParaTimer.Alert.Text }}, "severity": "{{ .Status }}", "wf": {{ json .ParaTimer.Workflow.ID }}}`))
	k.keep(frame.AtRisk, "")
	if got := string(s.all()[0].body); got != `{"text": "it is at_risk", "severity": "firing", "wf": "wf_1"}` {
		t.Errorf("body %s", got)
	}
	for _, bad := range []string{
		"{{ .Nobody }}", `{"a": {{ .Status }}}`, "{{",
		`{"p": {{ .ParaTimer.Alert.Probability }}}`,
	} {
		if _, err := notify.NewWebhook(s.URL, bad, nil, notify.NewClient(nil)); err == nil {
			t.Errorf("the template %s is taken", bad)
		}
	}
}

// TestSecrets: no error, key or preview of a sink shows more of its address than the host.
func TestSecrets(t *testing.T) {
	const secrets = "http://user:pass-word@127.0.0.1:1/services/tok-en?key=que-ry"
	client := notify.NewClient(nil)
	hook, err := notify.NewWebhook(secrets, "", []byte("hu-sh"), client)
	if err != nil {
		t.Fatal(err)
	}
	am, err := notify.NewAlertmanager(secrets, time.Minute, client, time.Now)
	if err != nil {
		t.Fatal(err)
	}
	show := ""
	for _, s := range []*notify.Sink{hook, am} {
		n := notify.Notification{ID: "1", Status: notify.Firing}
		b, err := s.Preview(n)
		if err != nil {
			t.Fatal(err)
		}
		_, err = s.Send(context.Background(), n)
		if err == nil || !strings.Contains(err.Error(), "127.0.0.1:1") {
			t.Fatalf("%v: want an error that names the host", err)
		}
		show += s.Key + string(b) + err.Error()
	}
	for _, bad := range []string{"ftp://tok-en", "tok-en", "http://user:pass-word@/", "http://[tok-en", ""} {
		if _, err := notify.NewWebhook(bad, "", nil, client); err == nil {
			t.Errorf("%s is taken", bad)
		} else {
			show += err.Error()
		}
	}
	for _, secret := range []string{"pass-word", "tok-en", "que-ry", "hu-sh", "user:"} {
		if strings.Contains(show, secret) {
			t.Errorf("%s is shown in %s", secret, show)
		}
	}
}
