package notify_test

import (
	"bytes"
	"context"
	"io"
	"mime"
	"mime/quotedprintable"
	"net/http"
	"net/mail"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/paratimer/paratimer/cmd/paratimer/internal/frame"
	"github.com/paratimer/paratimer/cmd/paratimer/internal/notify"
)

const key = "0123456789abcdef0123456789abcdef" // as long as a routing key

// hostile is a name that would be markup, another header or too long.
var hostile = "<!channel> \"q\"\r\nBcc: a@b " + strings.Repeat("ü", 40_000)

// link is the address of a page about a query.
const link = "https://watch.example/q/1/"

// samplesOf are alerts for a template: at risk, late and taken back, of an ordinary and of a hostile workflow.
func samplesOf() (all []notify.Notification) {
	for _, name := range []string{"join.pig", hostile} {
		for _, status := range []notify.Status{notify.Firing, notify.Resolved} {
			n := notify.Sample(status, begin, notify.Dress{}, "")
			n.Workflow.Name, n.Annotations["summary"] = name, name+" is 24s past its limit"
			all = append(all, n)
		}
		risk := notify.Sample(notify.Firing, begin, notify.Dress{}, "")
		risk.Alert.State, risk.Workflow.Name, risk.Link = frame.AtRisk, name, link
		all = append(all, risk)
	}
	return all
}

// TestServices: what is sent to each service is valid under the schema of its public documentation, goes where the
// service expects it, and no preview shows the key.
func TestServices(t *testing.T) {
	t.Parallel()
	for _, service := range notify.Services {
		t.Run(service, func(t *testing.T) {
			t.Parallel()
			paths := make(chan string, 1)
			s := newServer(t, nil)
			client := notify.NewClient(nil)
			client.Transport = seenPaths{client.Transport, paths}
			hook, err := notify.NewWebhook(s.URL, service, []byte(key), client)
			if err != nil {
				t.Fatal(err)
			}
			for i, n := range samplesOf() {
				answer, err := hook.Send(context.Background(), n)
				if err != nil || !strings.Contains(answer, "200 OK") {
					t.Fatalf("%q, %v", answer, err)
				}
				path, r := <-paths, s.all()[i]
				file := service
				if service == notify.Opsgenie {
					want := "/v2/alerts"
					if n.Status == notify.Resolved {
						file, want = "opsgenie-close", "/v2/alerts/"+n.Fingerprint+"/close?identifierType=alias"
					}
					if path != want || r.header.Get("Authorization") != "GenieKey "+key {
						t.Errorf("%s, %v, want %s", path, r.header, want)
					}
				}
				check(t, file, r.body)
				if strings.Contains(string(r.body), link) != (n.Link != "") {
					t.Errorf("the link of %q in %s", n.Link, r.body)
				}
				if service == "teams" && len(r.body) > 28<<10 {
					t.Errorf("Teams takes 28 KB, not %d", len(r.body))
				}
				b, err := hook.Preview(n)
				if err != nil || bytes.Contains(b, []byte(key)) {
					t.Errorf("%v: the preview shows the key: %s", err, b)
				}
			}
		})
	}
	for _, service := range []string{notify.PagerDuty, notify.Opsgenie} {
		if _, err := notify.NewWebhook("http://h", service, nil, notify.NewClient(nil)); err == nil {
			t.Errorf("%s is taken without a key", service)
		}
	}
}

// seenPaths records the requested paths.
type seenPaths struct {
	http.RoundTripper
	paths chan string
}

func (s seenPaths) RoundTrip(r *http.Request) (*http.Response, error) {
	s.paths <- r.URL.RequestURI()
	return s.RoundTripper.RoundTrip(r)
}

// check holds a body against testdata/NAME.schema.json.
func check(t *testing.T, name string, body []byte) {
	t.Helper()
	schema, err := jsonschema.NewCompiler().Compile(filepath.Join("testdata", name+".schema.json"))
	if err != nil {
		t.Fatal(err)
	}
	doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	if err := schema.Validate(doc); err != nil {
		t.Errorf("%s: %v\n%.600s", name, err, body)
	}
}

// TestAnswerHidesKey: a server that repeats the key does not bring it into a log.
func TestAnswerHidesKey(t *testing.T) {
	t.Parallel()
	s := newServer(t, func(w http.ResponseWriter) {
		w.WriteHeader(http.StatusBadRequest)
		_, _ = io.WriteString(w, "no such routing key "+key)
	})
	hook, err := notify.NewWebhook(s.URL, notify.PagerDuty, []byte(key), notify.NewClient(nil))
	if err != nil {
		t.Fatal(err)
	}
	_, err = hook.Send(context.Background(), notify.Sample(notify.Firing, begin, notify.Dress{}, ""))
	if err == nil || strings.Contains(err.Error(), key) || !strings.Contains(err.Error(), "no such routing key") {
		t.Errorf("%v", err)
	}
}

// TestMail: the mail is a message under RFC 5322. No name can add to its headers.
func TestMail(t *testing.T) {
	t.Parallel()
	for _, n := range samplesOf() {
		out := filepath.Join(t.TempDir(), "mail")
		c, err := notify.NewCommand("cat > "+out, notify.Mail, time.Minute, os.Environ())
		if err != nil {
			t.Fatal(err)
		}
		if _, err := c.Send(context.Background(), n); err != nil {
			t.Fatal(err)
		}
		raw, err := os.ReadFile(out)
		if err != nil {
			t.Fatal(err)
		}
		m, err := mail.ReadMessage(bytes.NewReader(raw))
		if err != nil {
			t.Fatal(err)
		}
		subject, err := new(mime.WordDecoder).DecodeHeader(m.Header.Get("Subject"))
		if err != nil || !strings.HasPrefix(subject, "[ParaTimer] ") || m.Header.Get("Bcc") != "" {
			t.Errorf("%v: subject %q, headers %v", err, subject, m.Header)
		}
		text, err := io.ReadAll(quotedprintable.NewReader(m.Body))
		if err != nil || !strings.Contains(string(text), n.Annotations["summary"][:8]) {
			t.Errorf("%v: %.100q", err, text)
		}
		for _, line := range strings.Split(string(raw), "\n") {
			if len(line) > 998 { // RFC 5322, section 2.1.1
				t.Errorf("a line of %d bytes", len(line))
			}
		}
	}
}

// TestMissed: a missed deadline is not announced as resolved, and its state is written once.
func TestMissed(t *testing.T) {
	t.Parallel()
	hook, err := notify.NewWebhook("http://h", "slack", nil, notify.NewClient(nil))
	if err != nil {
		t.Fatal(err)
	}
	n, missed := notify.Sample(notify.Resolved, begin, notify.Dress{}, ""), frame.Missed
	n.Alert.Outcome, n.Annotations["summary"] = &missed, "missed: succeeded at 06:35"
	b, err := hook.Preview(n)
	if err != nil || !strings.Contains(string(b), `"MISSED paratimer notify test: succeeded at 06:35"`) {
		t.Errorf("%v: %s", err, b)
	}
}
