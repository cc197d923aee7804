package sinks

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/paratimer/paratimer/cmd/paratimer/internal/notify"
)

// The headers of a webhook's request.
const (
	HeaderSignature   = "X-ParaTimer-Signature" // sha256= and the hex HMAC-SHA256 of the body
	HeaderIdempotency = "Idempotency-Key"       // the same if the same notification is sent again
)

// A Webhook posts each notification to an address, signed, at least once.
type Webhook struct {
	client *http.Client
	url    *url.URL
	body   *body  // nil: the default body
	secret []byte // empty: no signature
	key    string
}

// NewWebhook makes the sink of an address. template is one of Services, the text of a template of a JSON body over
// Message, or "" for the default.
func NewWebhook(address, template string, secret []byte, client *http.Client) (*Webhook, error) {
	u, err := parseURL(address)
	if err != nil {
		return nil, err
	}
	w := &Webhook{client: client, url: u, secret: secret, key: keyOf("webhook", address)}
	if template == "" {
		return w, nil
	}
	if w.body, err = newBody(template, Services, true); err != nil {
		return nil, err
	}
	if w.keyed() && len(secret) == 0 {
		return nil, fmt.Errorf("%s needs its key as the webhook's secret", w.body.name)
	}
	return w, nil
}

// keyed reports whether the secret is the service's key: it is sent, and signs nothing.
func (w *Webhook) keyed() bool {
	return w.body != nil && (w.body.name == PagerDuty || w.body.name == Opsgenie)
}

// concealed is what previews and errors show in place of a secret.
const concealed = "(secret)"

// Key implements notify.Sink.
func (w *Webhook) Key() string { return w.key }

// Options implements notify.Sink.
func (w *Webhook) Options() notify.Options { return notify.Options{Batch: 1} }

// A Message is the default body, in the format of Alertmanager's own webhooks (version 4), so receivers of those can
// read it. It is also the data of a template.
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
	ParaTimer         notify.Notification `json:"paratimer"` // everything that is known, in ParaTimer's own names
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

// write makes the body.
func (w *Webhook) write(n notify.Notification, secret string) ([]byte, error) {
	if w.body == nil {
		return json.Marshal(messageOf(n))
	}
	return w.body.write(n, secret)
}

// address returns the URL for a notification. Opsgenie has another URL to close an alert.
func (w *Webhook) address(n notify.Notification) *url.URL {
	if w.body == nil || w.body.name != Opsgenie {
		return w.url
	}
	u := w.url
	if !strings.HasSuffix(u.Path, "/v2/alerts") {
		u = u.JoinPath("v2", "alerts")
	}
	if n.Status == notify.Resolved {
		u = u.JoinPath(n.Fingerprint, "close")
		u.RawQuery = "identifierType=alias"
	}
	return u
}

// Send posts the batch, one request a notification.
func (w *Webhook) Send(ctx context.Context, batch []notify.Notification) error {
	for _, n := range batch {
		if _, err := w.Answer(ctx, n); err != nil {
			return err
		}
	}
	return nil
}

// Answer posts a notification and returns the response.
func (w *Webhook) Answer(ctx context.Context, n notify.Notification) (string, error) {
	body, err := w.write(n, string(w.secret))
	if err != nil {
		return "", &notify.Refused{Err: fmt.Errorf("the webhook's template: %w", err)}
	}
	r, err := post(ctx, w.client, w.address(n), body, w.header(n, body, string(w.secret)), string(w.secret))
	return r.text, err
}

func (w *Webhook) header(n notify.Notification, body []byte, secret string) http.Header {
	h := http.Header{}
	h.Set(HeaderIdempotency, n.ID)
	switch {
	case w.keyed():
		if w.body.name == Opsgenie {
			h.Set("Authorization", "GenieKey "+secret)
		}
	case len(w.secret) > 0:
		mac := hmac.New(sha256.New, w.secret)
		mac.Write(body)
		h[HeaderSignature] = []string{"sha256=" + hex.EncodeToString(mac.Sum(nil))} // its case is part of the contract
	}
	return h
}

// Preview returns what would be sent, without secrets.
func (w *Webhook) Preview(n notify.Notification) Preview {
	p := Preview{Method: http.MethodPost, URLs: []string{shown(w.url)}, Headers: map[string]string{}}
	body, err := w.write(n, concealed)
	if err != nil {
		body, _ = json.Marshal("the webhook's template: " + err.Error()) // a string always encodes
	}
	p.Body = body
	for k, v := range w.header(n, body, concealed) {
		p.Headers[k] = v[0]
	}
	return p
}

// Close closes idle connections.
func (w *Webhook) Close() error {
	w.client.CloseIdleConnections()
	return nil
}
