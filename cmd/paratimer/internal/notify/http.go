package notify

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
	"maps"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"
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
func keyOf(kind, target string) string {
	sum := sha256.Sum256([]byte(target))
	return kind + "-" + hex.EncodeToString(sum[:4])
}

// concealed replaces a secret in previews and errors.
const concealed = "(secret)"

// A request is a POST to a sink.
type request struct {
	url    *url.URL
	header http.Header
	body   []byte
}

// post sends a request. It returns the response's text, without the secret, and its Date header, which is zero if it is
// missing.
func (q request) post(ctx context.Context, c *http.Client, secret string) (text string, date time.Time, err error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, q.url.String(), bytes.NewReader(q.body))
	if err != nil {
		return "", date, &Failure{Refused: true, Err: fmt.Errorf("%s: %w", shown(q.url), bare(err))}
	}
	maps.Copy(req.Header, q.header)
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("User-Agent", "paratimer")
	resp, err := c.Do(req)
	if err != nil {
		return "", date, fmt.Errorf("%s: %w", shown(q.url), bare(err))
	}
	defer resp.Body.Close()
	date, _ = http.ParseTime(resp.Header.Get("Date"))
	text = shown(q.url) + " answers " + resp.Status
	output, _ := io.ReadAll(io.LimitReader(resp.Body, 1<<10)) // if this fails the status is enough
	answer := strings.TrimSpace(string(output))
	if secret != "" {
		answer = strings.ReplaceAll(answer, secret, concealed)
	}
	if answer != "" {
		text += fmt.Sprintf(": %.200q", answer)
	}
	return text, date, judge(resp, text, date)
}

// posting returns a sink that posts a request for each notification. made makes it with the secret, or with what is
// shown in its place. clock, if not nil, gets the time of an answer and reports whether the request must be made again.
func posting(key, secret string, client *http.Client, made func(n Notification, secret string) (request, error),
	clock func(date time.Time) (again bool),
) *Sink {
	return &Sink{
		Key: key,
		Send: func(ctx context.Context, n Notification) (answer string, err error) {
			for range 2 {
				r, bad := made(n, secret)
				if bad != nil {
					return "", &Failure{Refused: true, Err: bad}
				}
				var date time.Time
				answer, date, err = r.post(ctx, client, secret)
				if clock == nil || date.IsZero() || !clock(date) {
					break
				}
			}
			return answer, err
		},
		Preview: func(n Notification) ([]byte, error) {
			r, err := made(n, concealed)
			return r.body, err
		},
	}
}

// bare removes the URL from an error of net/http.
func bare(err error) error {
	var u *url.Error
	if !errors.As(err, &u) {
		return err
	}
	if u.Timeout() {
		return fmt.Errorf("no answer within %v", requestLimit)
	}
	return u.Err
}

// judge maps a status to nil (accepted) or a failure: refused for good, or to be tried again.
func judge(resp *http.Response, text string, date time.Time) error {
	code := resp.StatusCode
	err := &Failure{Err: errors.New(text)}
	switch {
	case code >= 200 && code < 300:
		return nil
	case code == http.StatusTooManyRequests, code == http.StatusServiceUnavailable:
		err.After = retryAfter(resp.Header.Get("Retry-After"), date)
	case code >= 300 && code < 400:
		err.Err = fmt.Errorf("%s: redirects are not followed; give the address that it leads to", text)
	default:
		err.Refused = code != http.StatusRequestTimeout && code < 500
	}
	return err
}

// retryAfter reads both forms of the header (RFC 9110, section 10.2.3). An instant is by the server's own clock.
func retryAfter(v string, date time.Time) time.Duration {
	if s, err := strconv.Atoi(strings.TrimSpace(v)); err == nil {
		return time.Duration(min(s, 1<<30)) * time.Second
	}
	at, err := http.ParseTime(v)
	if err != nil || date.IsZero() {
		return 0
	}
	return at.Sub(date)
}
