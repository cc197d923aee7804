package sinks

import (
	"bytes"
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"text/template"
	"time"

	"github.com/paratimer/paratimer/cmd/paratimer/internal/frame"
	"github.com/paratimer/paratimer/cmd/paratimer/internal/notify"
)

// The headers of a webhook's request.
const (
	HeaderSignature   = "X-ParaTimer-Signature" // sha256= and the hex HMAC-SHA256 of the body
	HeaderIdempotency = "Idempotency-Key"       // the same when the same notification is sent again
)

// A Webhook posts each notification to an address, signed, at least once.
type Webhook struct {
	client *http.Client
	url    *url.URL
	body   *template.Template // nil: the default body
	secret []byte             // empty: no signature
	key    string
}

// NewWebhook makes the sink of an address. body is the template of a JSON body over Message, "" for the default.
func NewWebhook(address, body string, secret []byte, client *http.Client) (*Webhook, error) {
	u, err := parseURL(address)
	if err != nil {
		return nil, err
	}
	w := &Webhook{client: client, url: u, secret: secret, key: keyOf("webhook", address)}
	if body == "" {
		return w, nil
	}
	if w.body, err = template.New("webhook").Option("missingkey=error").Funcs(template.FuncMap{"json": toJSON}).Parse(
		body); err != nil {
		return nil, err
	}
	for _, n := range samples() {
		if _, err := w.write(n); err != nil {
			return nil, fmt.Errorf("for an alert that is %s: %w", n.Alert.State, err)
		}
	}
	return w, nil
}

// samples are notifications that a template is tried with.
func samples() []notify.Notification {
	name, likely, by, outcome := "join.pig", frame.Ratio(0.8), frame.Seconds(660), frame.Missed
	firing := notify.Notification{
		ID: "0-0-late", Fingerprint: "0", Status: notify.Firing, Workflow: notify.Workflow{
			ID: "wf", Name: name,
			State: "running",
		},
		Alert:  frame.Alert{Bound: "deadline", State: frame.Late, Probability: &likely, BySeconds: &by, Text: "late"},
		Labels: map[string]string{}, Annotations: map[string]string{},
	}
	resolved := firing
	resolved.Status, resolved.EndsAt = notify.Resolved, &time.Time{}
	resolved.Alert = frame.Alert{Bound: "deadline", State: frame.Ended, Outcome: &outcome}
	return []notify.Notification{firing, resolved}
}

// Key is a notify.Sink's.
func (w *Webhook) Key() string { return w.key }

// Options are those of a notify.Sink.
func (w *Webhook) Options() notify.Options { return notify.Options{Batch: 1} }

// A Message is the default body, in the shape of Alertmanager's own webhooks (version 4), so that what understands
// those understands this; and what a template is written over.
type Message struct {
	Version           string              `json:"version"`
	GroupKey          string              `json:"groupKey"`
	TruncatedAlerts   int                 `json:"truncatedAlerts"`
	Status            notify.Status       `json:"status"`
	Receiver          string              `json:"receiver"`
	GroupLabels       map[string]string   `json:"groupLabels"`
	CommonLabels      map[string]string   `json:"commonLabels"`
	CommonAnnotations map[string]string   `json:"commonAnnotations"`
	ExternalURL       string              `json:"externalURL"`
	Alerts            []MessageAlert      `json:"alerts"`
	ParaTimer         notify.Notification `json:"paratimer"` // all that is known, by its own names
}

// A MessageAlert is the one alert of a message.
type MessageAlert struct {
	Status       notify.Status     `json:"status"`
	Labels       map[string]string `json:"labels"`
	Annotations  map[string]string `json:"annotations"`
	StartsAt     time.Time         `json:"startsAt"`
	EndsAt       time.Time         `json:"endsAt"` // zero while it fires
	GeneratorURL string            `json:"generatorURL"`
	Fingerprint  string            `json:"fingerprint"`
}

func messageOf(n notify.Notification) Message {
	a := MessageAlert{
		Status: n.Status, Labels: n.Labels, Annotations: n.Annotations, StartsAt: n.StartsAt,
		Fingerprint: n.Fingerprint,
	}
	if n.EndsAt != nil {
		a.EndsAt = *n.EndsAt
	}
	return Message{
		Version: "4", GroupKey: "{}/{fingerprint=\"" + n.Fingerprint + "\"}", Status: n.Status, Receiver: "paratimer",
		GroupLabels: n.Labels, CommonLabels: n.Labels, CommonAnnotations: n.Annotations, Alerts: []MessageAlert{a},
		ParaTimer: n,
	}
}

// maxBody is how long a body may get, in bytes.
const maxBody = 1 << 20

var errBodyLong = errors.New("a body may be 1 MiB long")

// write makes the body. It depends on the notification alone, so that what is sent again is the same to the byte.
func (w *Webhook) write(n notify.Notification) ([]byte, error) {
	m := messageOf(n)
	if w.body == nil {
		return json.Marshal(m)
	}
	var out limited
	if err := w.body.Execute(&out, m); err != nil {
		return nil, err
	}
	var any any
	if err := json.Unmarshal(out.Bytes(), &any); err != nil {
		return nil, fmt.Errorf("the template makes no JSON: %w; write values as {{ json .Status }}", err)
	}
	return out.Bytes(), nil
}

type limited struct{ bytes.Buffer }

func (l *limited) Write(p []byte) (int, error) {
	if l.Len()+len(p) > maxBody {
		return 0, errBodyLong
	}
	return l.Buffer.Write(p)
}

func toJSON(v any) (string, error) {
	b, err := json.Marshal(v)
	return string(b), err
}

// Send posts the first of the batch, which holds one.
func (w *Webhook) Send(ctx context.Context, batch []notify.Notification) error {
	for _, n := range batch {
		body, err := w.write(n)
		if err != nil {
			return &notify.Refused{Err: fmt.Errorf("the webhook's template: %w", err)}
		}
		if _, err := post(ctx, w.client, w.url, body, w.header(n, body)); err != nil {
			return err
		}
	}
	return nil
}

func (w *Webhook) header(n notify.Notification, body []byte) http.Header {
	h := http.Header{}
	h.Set(HeaderIdempotency, n.ID)
	if len(w.secret) > 0 {
		mac := hmac.New(sha256.New, w.secret)
		mac.Write(body)
		h[HeaderSignature] = []string{"sha256=" + hex.EncodeToString(mac.Sum(nil))} // its case is part of the contract
	}
	return h
}

// Preview is what would be sent.
func (w *Webhook) Preview(n notify.Notification) Preview {
	p := Preview{Method: http.MethodPost, URLs: []string{shown(w.url)}, Headers: map[string]string{}}
	body, err := w.write(n)
	if err != nil {
		body, _ = json.Marshal("the webhook's template: " + err.Error()) // a string
	}
	p.Body = body
	for k, v := range w.header(n, body) {
		p.Headers[k] = v[0]
	}
	return p
}

// Close lets go of connections.
func (w *Webhook) Close() error {
	w.client.CloseIdleConnections()
	return nil
}
