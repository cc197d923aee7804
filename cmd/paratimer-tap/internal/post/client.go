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
			// A task's environment may name a proxy for its own work. A collector is not behind it.
			Proxy:              nil,
			DialContext:        (&net.Dialer{Timeout: time.Second}).DialContext,
			MaxIdleConns:       1,
			IdleConnTimeout:    time.Minute,
			DisableCompression: true,
		},
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
}

// errUnreachable is that nobody answers at the address: it is known at once, unlike of one that is silent.
var errUnreachable = errors.New("cannot be reached")

// A refusal is an answer other than "taken".
type refusal struct {
	status int
	why    string
}

func (r *refusal) Error() string { return fmt.Sprintf("it answers %d: %s", r.status, r.why) }

// all says that no batch will ever be taken: it is no collector, it has another token, or the job is over for it.
func (r *refusal) all() bool {
	switch r.status {
	case http.StatusUnauthorized, http.StatusForbidden, http.StatusNotFound, http.StatusMethodNotAllowed,
		http.StatusGone:
		return true
	}
	return r.status < 400
}

// batch says that this batch will never be taken.
func (r *refusal) batch() bool {
	return r.status >= 400 && r.status < 500 && !r.all() && r.status != http.StatusTooManyRequests &&
		r.status != http.StatusRequestTimeout
}

// post sends one batch. It is taken if the error is nil.
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

// printed makes one line of what a stranger has sent, which does nothing to a terminal.
func printed(text []byte) string {
	line, _, _ := strings.Cut(strings.TrimSpace(string(text)), "\n")
	return strings.Trim(fmt.Sprintf("%+q", line), `"`)
}
