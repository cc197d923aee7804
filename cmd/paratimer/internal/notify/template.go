package notify

import (
	"bytes"
	"embed"
	"encoding/json"
	"fmt"
	"io"
	"mime"
	"mime/quotedprintable"
	"slices"
	"strings"
	"text/template"
	"time"

	"github.com/paratimer/paratimer/cmd/paratimer/internal/frame"
)

//go:embed templates
var templates embed.FS

// builtIn are the built-in templates, by their files' names.
var builtIn = template.Must(template.New("").Option("missingkey=error").Funcs(template.FuncMap{
	"json": toJSON, "cut": cut, "state": stateOf, "detail": detail, "entities": entities.Replace, "header": header, "quoted": quoted,
}).ParseFS(templates, "templates/*.tmpl"))

// Built-in templates.
const (
	// PagerDuty and Opsgenie use the secret as their key; it signs the others.
	PagerDuty = "pagerduty"
	Opsgenie  = "opsgenie"
	// Mail is a message for the standard input of a command such as sendmail.
	Mail = "mail"
)

var (
	// Services are the built-in templates of a webhook's body.
	Services = []string{"slack", "teams", PagerDuty, Opsgenie}
	// Inputs are the built-in templates of a command's standard input.
	Inputs = []string{Mail}
)

// A body makes the body of a request, or a command's input. It depends on the notification and the secret alone: a
// repeated notification has the same bytes.
type body func(n Notification, secret string) ([]byte, error)

// maxBody is the greatest length of a body, in bytes.
const maxBody = 1 << 20

// A limited buffer fails beyond maxBody bytes while it is written, so that no template fills the memory.
type limited struct{ bytes.Buffer }

func (l *limited) Write(p []byte) (int, error) {
	if l.Len()+len(p) > maxBody {
		return 0, fmt.Errorf("the template makes more than %d bytes", maxBody)
	}
	return l.Buffer.Write(p)
}

// bodyOf returns the body of a template, given as a built-in name or a text, which is tried with sample notifications.
// Without a text a webhook's body is the Message, a command's input the Notification. A webhook's body must be JSON.
func bodyOf(text string, ready []string) (body, error) {
	hook := !slices.Contains(ready, Mail)
	if text == "" {
		return func(n Notification, _ string) ([]byte, error) {
			if hook {
				return json.Marshal(messageOf(n))
			}
			return json.Marshal(n)
		}, nil
	}
	t := builtIn.Lookup(text + ".tmpl")
	if !slices.Contains(ready, text) {
		t = template.Must(builtIn.Clone()).New("template") // they were never executed
		if _, err := t.Parse(text); err != nil {
			return nil, err
		}
	}
	write := func(n Notification, secret string) ([]byte, error) {
		m, out := messageOf(n), limited{}
		m.Secret = secret
		if err := t.Execute(&out, m); err != nil {
			return nil, err
		}
		var doc any
		if err := json.Unmarshal(out.Bytes(), &doc); err != nil && hook {
			return nil, fmt.Errorf("the template makes no JSON: %w; write values as {{ json .Status }}", err)
		}
		return out.Bytes(), nil
	}
	for _, status := range []Status{Firing, Resolved} {
		n := Sample(status, time.UnixMilli(0), Dress{}, "")
		vague := n
		vague.Alert.Probability, vague.Alert.BySeconds, vague.Alert.DeadlineAt = nil, nil, nil // not always known
		for _, n := range []Notification{n, vague} {
			if _, err := write(n, "secret"); err != nil {
				return nil, fmt.Errorf("for an alert that is %s: %w", n.Alert.State, err)
			}
		}
	}
	return write, nil
}

func toJSON(v any) (string, error) {
	b, err := json.Marshal(v)
	return string(b), err
}

// entities escapes Slack's markup: a name must not mention a whole channel.
var entities = strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;")

// cut shortens a text to at most `most` characters.
func cut(most int, s string) string {
	if r := []rune(s); len(r) > most {
		return string(r[:most-1]) + "…"
	}
	return s
}

// stateOf returns the state of an alert as one label: MISSED, RESOLVED, LATE or AT RISK.
func stateOf(m Message) string {
	switch o := m.ParaTimer.Alert.Outcome; {
	case m.Status == Resolved && o != nil && *o == frame.Missed:
		return "MISSED"
	case m.Status == Resolved:
		return "RESOLVED"
	case m.ParaTimer.Alert.State == frame.Late:
		return "LATE"
	}
	return "AT RISK"
}

// detail returns the text of an alert without the state that stateOf names.
func detail(m Message) string {
	text := m.CommonAnnotations["summary"]
	if state, rest, ok := strings.Cut(text, ": "); ok && strings.EqualFold(state, stateOf(m)) {
		return rest
	}
	return text
}

// header encodes a text as a mail header, on one line.
func header(s string) string { return mime.QEncoding.Encode("utf-8", s) }

// quoted encodes a text as a mail body.
func quoted(s string) (string, error) {
	var out strings.Builder
	w := quotedprintable.NewWriter(&out)
	if _, err := io.WriteString(w, s); err != nil {
		return "", err
	}
	err := w.Close()
	return strings.ReplaceAll(out.String(), "\r\n", "\n"), err // sendmail reads \n as the end of a line
}
