package sinks

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
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

// A webhook posts each notification to an address, signed, at least once.
type webhook struct {
	url    *url.URL
	body   *body
	secret string // "": no signature
}

// NewWebhook makes the sink of an address. template is one of Services, the text of a template of a JSON body over
// Message, or "" for the Message itself.
func NewWebhook(address, template string, secret []byte, client *http.Client) (*notify.Sink, error) {
	u, err := parseURL(address)
	if err != nil {
		return nil, err
	}
	w := &webhook{url: u, secret: string(secret)}
	if w.body, err = newBody(template, Services); err != nil {
		return nil, err
	}
	if w.keyed() && len(secret) == 0 {
		return nil, fmt.Errorf("%s needs its key as the webhook's secret", w.body.name)
	}
	return posting(keyOf("webhook", address), w.secret, client, w.request), nil
}

// keyed reports whether the secret is the service's key: it is sent, and signs nothing.
func (w *webhook) keyed() bool { return w.body.name == PagerDuty || w.body.name == Opsgenie }

// request returns the request for a notification. Opsgenie has another URL to close an alert.
func (w *webhook) request(n notify.Notification, secret string) (r request, err error) {
	r = request{url: w.url, header: http.Header{}}
	r.header.Set(HeaderIdempotency, n.ID)
	if r.body, err = w.body.write(n, secret); err != nil {
		return r, fmt.Errorf("the webhook's template: %w", err)
	}
	if len(w.secret) > 0 && !w.keyed() {
		mac := hmac.New(sha256.New, []byte(w.secret))
		mac.Write(r.body)
		r.header[HeaderSignature] = []string{"sha256=" + hex.EncodeToString(mac.Sum(nil))} // its case is part of the contract
	}
	if w.body.name != Opsgenie {
		return r, nil
	}
	r.header.Set("Authorization", "GenieKey "+secret)
	if !strings.HasSuffix(r.url.Path, "/v2/alerts") {
		r.url = r.url.JoinPath("v2", "alerts")
	}
	if n.Status == notify.Resolved {
		r.url = r.url.JoinPath(n.Fingerprint, "close")
		r.url.RawQuery = "identifierType=alias"
	}
	return r, nil
}

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
