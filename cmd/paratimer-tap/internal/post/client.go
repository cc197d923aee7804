package post

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"time"

	"github.com/paratimer/paratimer/adapters/tap"
)

func newClient() *http.Client {
	return &http.Client{
		Timeout: patience,
		Transport: &http.Transport{
			// A task's environment may set a proxy for its own work. The collector is reached directly.
			Proxy:              nil,
			DialContext:        (&net.Dialer{Timeout: time.Second}).DialContext,
			MaxIdleConns:       1,
			IdleConnTimeout:    time.Minute,
			DisableCompression: true,
		},
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
}

// errUnreachable means that the connection was refused. Unlike a timeout, this error comes at once.
var errUnreachable = errors.New("cannot be reached")

// A refusal is a response other than success.
type refusal struct {
	status int
	why    string
}

func (r *refusal) Error() string { return fmt.Sprintf("it answers %d: %s", r.status, r.why) }

// all reports whether the collector will never accept a batch: it is no collector, the token is wrong, or the job has
// ended.
func (r *refusal) all() bool {
	switch r.status {
	case http.StatusUnauthorized, http.StatusForbidden, http.StatusNotFound, http.StatusMethodNotAllowed,
		http.StatusGone:
		return true
	}
	return r.status < 400
}

// batch reports whether the collector will never accept this batch.
func (r *refusal) batch() bool {
	return r.status >= 400 && r.status < 500 && !r.all() && r.status != http.StatusTooManyRequests &&
		r.status != http.StatusRequestTimeout
}

// post sends one batch. The error is nil if the collector accepted it.
func (p *Post) post(ctx context.Context, w waiting) error {
	body, err := w.encode()
	if err != nil {
		return &refusal{http.StatusBadRequest, err.Error()}
	}
	url := "http://" + p.config.Collector + tap.Path
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, url, bytes.NewReader(body))
	if err != nil {
		return err
	}
	req.Header.Set("Authorization", "Bearer "+p.config.Token)
	req.Header.Set("Content-Type", "application/json")
	resp, err := p.client.Do(req)
	if err != nil {
		var dial *net.OpError
		if errors.As(err, &dial) && dial.Op == "dial" && !dial.Timeout() {
			return fmt.Errorf("%w: %w", errUnreachable, dial.Err)
		}
		return err
	}
	defer resp.Body.Close()
	why, _ := io.ReadAll(io.LimitReader(resp.Body, 300))
	if resp.StatusCode/100 == 2 {
		return nil
	}
	return &refusal{resp.StatusCode, printed(why)}
}

// printed returns the first line of a response, quoted so that it cannot affect a terminal.
func printed(text []byte) string {
	line, _, _ := strings.Cut(strings.TrimSpace(string(text)), "\n")
	return strings.Trim(fmt.Sprintf("%+q", line), `"`)
}
