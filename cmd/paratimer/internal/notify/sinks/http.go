package sinks

import (
	"bytes"
	"context"
	"crypto/sha256"
	"crypto/tls"
	"crypto/x509"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/paratimer/paratimer/cmd/paratimer/internal/notify"
)

// requestLimit is the timeout of one request, from the first byte sent to the last received.
const requestLimit = 10 * time.Second

// NewClient returns an HTTP client for sinks. It follows no redirect: a POST would become a GET, or a secret would go
// to another host. Proxies are those of the environment, as for the cluster. extra are additional certificates to
// trust.
func NewClient(extra *x509.CertPool) *http.Client {
	t := http.DefaultTransport.(*http.Transport).Clone()
	t.TLSClientConfig = &tls.Config{RootCAs: extra, MinVersion: tls.VersionTLS12}
	t.MaxIdleConnsPerHost = 1
	return &http.Client{
		Transport: t, Timeout: requestLimit,
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
}

// parseURL parses the address of a sink. Its error does not repeat the address, which may contain a token.
func parseURL(raw string) (*url.URL, error) {
	u, err := url.Parse(strings.TrimSpace(raw))
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" {
		return nil, errors.New("it is not a URL of the form http://HOST[:PORT][/PATH] or https://…")
	}
	return u, nil
}

// shown returns the part of a URL that may be shown: scheme and host.
func shown(u *url.URL) string { return u.Scheme + "://" + u.Host }

// keyOf identifies a target without showing it: 32 bits of a hash distinguish targets and reveal no secret.
func keyOf(kind string, target ...string) string {
	sum := sha256.Sum256([]byte(strings.Join(target, "\n")))
	return kind + "-" + hex.EncodeToString(sum[:4])
}

// A reply is a server's response: its Date header, its status and the start of its body.
type reply struct {
	date time.Time
	text string
}

// post sends a body and judges the response. The secret is removed from the response's text.
func post(ctx context.Context, c *http.Client, u *url.URL, body []byte, header http.Header, secret string) (r reply,
	err error,
) {
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, u.String(), bytes.NewReader(body))
	if err != nil {
		return r, &notify.Refused{Err: fmt.Errorf("%s: %w", shown(u), bare(err))}
	}
	for k, v := range header {
		req.Header[k] = v
	}
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("User-Agent", "paratimer")
	resp, err := c.Do(req)
	if err != nil {
		return r, fmt.Errorf("%s: %w", shown(u), bare(err))
	}
	defer resp.Body.Close()
	output, _ := io.ReadAll(io.LimitReader(resp.Body, 1<<10)) // if this fails the status is enough
	if secret != "" {
		output = bytes.ReplaceAll(output, []byte(secret), []byte(concealed))
	}
	r.date, _ = http.ParseTime(resp.Header.Get("Date")) // zero if the header is missing
	r.text = shown(u) + " answers " + resp.Status
	if text := strings.TrimSpace(string(output)); text != "" {
		r.text += fmt.Sprintf(": %.200q", text)
	}
	return r, answer(r, resp)
}

// bare removes the URL from an error of net/http.
func bare(err error) error {
	var u *url.Error
	if errors.As(err, &u) {
		if u.Timeout() {
			return fmt.Errorf("no answer within %v", requestLimit)
		}
		return u.Err
	}
	return err
}

// answer maps a status to nil (accepted), an error (to be tried again) or Refused (never sent again).
func answer(r reply, resp *http.Response) error {
	code := resp.StatusCode
	if code >= 200 && code < 300 {
		return nil
	}
	err := errors.New(r.text)
	switch {
	case code == http.StatusTooManyRequests, code == http.StatusServiceUnavailable:
		if after, ok := retryAfter(resp.Header.Get("Retry-After"), r.date); ok {
			return &notify.Later{After: after, Err: err}
		}
		return err
	case code == http.StatusRequestTimeout, code >= 500:
		return err
	case code < 400:
		return fmt.Errorf("%w: redirects are not followed; give the address that it leads to", err)
	}
	return &notify.Refused{Err: err}
}

// retryAfter reads both forms of the header (RFC 9110, section 10.2.3). An instant is by the server's own clock.
func retryAfter(v string, date time.Time) (time.Duration, bool) {
	if s, err := strconv.Atoi(strings.TrimSpace(v)); err == nil && s >= 0 {
		return time.Duration(min(s, 1<<30)) * time.Second, true
	}
	at, err := http.ParseTime(v)
	if err != nil || date.IsZero() {
		return 0, false
	}
	return max(0, at.Sub(date)), true
}
