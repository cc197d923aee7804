package notify

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"time"
)

// The headers of a webhook's request.
const (
	HeaderSignature   = "X-ParaTimer-Signature" // sha256= and the hex HMAC-SHA256 of the body
	HeaderIdempotency = "Idempotency-Key"       // the same if the same notification is sent again
)

// NewWebhook makes a sink that posts each notification to an address, at least once. text is one of Services, the text
// of a template of a JSON body over Message, or "" for the Message itself. The secret signs the body, but for PagerDuty
// and Opsgenie, whose key it is.
func NewWebhook(address, text string, secret []byte, client *http.Client) (*Sink, error) {
	u, err := parseURL(address)
	if err != nil {
		return nil, err
	}
	write, err := bodyOf(text, Services)
	if err != nil {
		return nil, err
	}
	keyed := text == PagerDuty || text == Opsgenie
	if keyed && len(secret) == 0 {
		return nil, fmt.Errorf("%s needs its key as the webhook's secret", text)
	}
	made := func(n Notification, key string) (r request, err error) {
		r = request{url: u, header: http.Header{HeaderIdempotency: {n.ID}}}
		if r.body, err = write(n, key); err != nil {
			return r, fmt.Errorf("the webhook's template: %w", err)
		}
		if len(secret) > 0 && !keyed {
			mac := hmac.New(sha256.New, secret)
			mac.Write(r.body)
			// The case of its name is part of the contract, so this is not Set.
			r.header[HeaderSignature] = []string{"sha256=" + hex.EncodeToString(mac.Sum(nil))}
		}
		if text == Opsgenie {
			r.header.Set("Authorization", "GenieKey "+key)
			r.url = opsgenie(u, n)
		}
		return r, nil
	}
	return posting(keyOf("webhook", address), string(secret), client, made, nil), nil
}

// opsgenie returns the URL of a request to Opsgenie, which has another one to close an alert.
func opsgenie(u *url.URL, n Notification) *url.URL {
	if !strings.HasSuffix(u.Path, "/v2/alerts") {
		u = u.JoinPath("v2", "alerts")
	}
	if n.Status == Resolved {
		u = u.JoinPath(n.Fingerprint, "close")
		u.RawQuery = "identifierType=alias"
	}
	return u
}

// A Message is the default body, in the format of Alertmanager's own webhooks (version 4), so receivers of those can
// read it. It is also the data of a template.
type Message struct {
	Version           string            `json:"version"`
	GroupKey          string            `json:"groupKey"`
	TruncatedAlerts   int               `json:"truncatedAlerts"`
	Status            Status            `json:"status"`
	Receiver          string            `json:"receiver"`
	GroupLabels       map[string]string `json:"groupLabels"`
	CommonLabels      map[string]string `json:"commonLabels"`
	CommonAnnotations map[string]string `json:"commonAnnotations"`
	ExternalURL       string            `json:"externalURL"`
	Alerts            []MessageAlert    `json:"alerts"`
	ParaTimer         Notification      `json:"paratimer"` // everything that is known, in ParaTimer's own names
	Secret            string            `json:"-"`         // for templates
}

// A MessageAlert is the one alert of a message.
type MessageAlert struct {
	Status       Status            `json:"status"`
	Labels       map[string]string `json:"labels"`
	Annotations  map[string]string `json:"annotations"`
	StartsAt     time.Time         `json:"startsAt"`
	EndsAt       time.Time         `json:"endsAt"` // zero while it fires
	GeneratorURL string            `json:"generatorURL"`
	Fingerprint  string            `json:"fingerprint"`
}

func messageOf(n Notification) Message {
	a := MessageAlert{
		Status: n.Status, Labels: n.Labels, Annotations: n.Annotations, StartsAt: n.StartsAt,
		GeneratorURL: n.Link, Fingerprint: n.Fingerprint,
	}
	if n.EndsAt != nil {
		a.EndsAt = *n.EndsAt
	}
	return Message{
		Version: "4", GroupKey: "{}/{fingerprint=\"" + n.Fingerprint + "\"}", Status: n.Status, Receiver: "paratimer",
		GroupLabels: n.Labels, CommonLabels: n.Labels, CommonAnnotations: n.Annotations, ExternalURL: n.Link,
		Alerts: []MessageAlert{a}, ParaTimer: n,
	}
}
