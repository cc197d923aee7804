package live

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/paratimer/paratimer/cmd/paratimer/internal/command"
	"github.com/paratimer/paratimer/cmd/paratimer/internal/command/input"
	"github.com/paratimer/paratimer/cmd/paratimer/internal/frame"
	"github.com/paratimer/paratimer/cmd/paratimer/internal/settings"
	"github.com/paratimer/paratimer/dag"
)

// maxFrames bounds a watcher's response in bytes, maxSaid the part of an error response that is printed.
const (
	maxFrames = 64 << 20
	maxSaid   = 300
)

// askWatcher requests the newest frame of a workflow from the metrics server of a watcher, by name or id. Without a
// name it is the only workflow that the watcher watches. It returns an error if the watcher does not observe.
func askWatcher(ctx context.Context, v visitor, metrics, workflow string) (frame.Frame, error) {
	base, err := url.Parse(metrics)
	if err != nil || base.Host == "" || base.Scheme != "http" && base.Scheme != "https" {
		return frame.Frame{}, command.Usage(
			"--metrics-url %s: it is the address of a watcher's metrics, such as http://127.0.0.1:9188/metrics",
			settings.Place(metrics))
	}
	base.Path = strings.TrimSuffix(strings.TrimSuffix(base.Path, "/"), "/metrics")
	all, err := v.frames(ctx, base.JoinPath("frames").String())
	if err != nil {
		return frame.Frame{}, err
	}
	chosen, err := among(all, workflow)
	if err != nil || chosen.Workflow.State.Ended() {
		return chosen, err
	}
	_, err = v.get(ctx, base.JoinPath("readyz").String())
	return chosen, err
}

// among chooses the frame of a workflow. If several match it is a running one, and among these the one that ends
// last.
func among(all []frame.Frame, workflow string) (frame.Frame, error) {
	var found []frame.Frame
	for _, f := range all {
		w := f.Workflow
		if workflow == "" && !w.State.Ended() || workflow != "" && (w.ID != nil && *w.ID == workflow || w.Name != nil &&
			input.GoesBy(workflow, *w.Name)) {
			found = append(found, f)
		}
	}
	switch {
	case len(found) == 0 && workflow == "":
		return frame.Frame{}, input.ErrIdle
	case len(found) == 0:
		return frame.Frame{}, fmt.Errorf("%w that is called %s", input.ErrIdle, workflow)
	case len(found) > 1 && workflow == "":
		return frame.Frame{}, command.Usage("the watcher watches %d workflows: name one of them", len(found))
	}
	best := found[0]
	for _, f := range found[1:] {
		if best.Workflow.State.Ended() && !f.Workflow.State.Ended() || end(f) > end(best) &&
			best.Workflow.State.Ended() == f.Workflow.State.Ended() {
			best = f
		}
	}
	return best, nil
}

func end(f frame.Frame) dag.Instant {
	if f.Headline.EndAt == nil {
		return dag.NoInstant
	}
	return f.Headline.EndAt.Instant
}

func (v visitor) frames(ctx context.Context, address string) ([]frame.Frame, error) {
	body, err := v.get(ctx, address)
	if err != nil {
		return nil, err
	}
	var all []frame.Frame
	for dec := json.NewDecoder(strings.NewReader(body)); ; {
		var f frame.Frame
		switch err := dec.Decode(&f); {
		case errors.Is(err, io.EOF):
			return all, nil
		case err != nil:
			return nil, fmt.Errorf("%s gives no frames: is it a watcher's address? %w", address, err)
		case f.SchemaVersion == 0:
			return nil, fmt.Errorf("%s gives no frames: is it a watcher's address? What it gives has no schema_version",
				address)
		}
		all = append(all, f)
	}
}

// A visitor has the credentials for requests to a watcher.
type visitor struct {
	token string         // "" is none
	pool  *x509.CertPool // nil is the system's
}

// visiting returns a visitor with the token and the authorities of the flags.
func visiting(c *cli.Context) (v visitor, err error) {
	if v.token, err = command.Token(c, "serve-token"); err != nil {
		return v, err
	}
	v.pool, err = command.Trusted(c)
	return v, err
}

// get sends a request to a watcher. It does not follow redirects, since watchers send none.
func (v visitor) get(ctx context.Context, address string) (string, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, address, nil)
	if err != nil {
		return "", err
	}
	shown := settings.Place(address) // it may contain the token as a password
	client := http.Client{
		Transport: &http.Transport{DisableKeepAlives: true, TLSClientConfig: &tls.Config{
			RootCAs:    v.pool,
			MinVersion: tls.VersionTLS12,
		}},
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
	if v.token != "" {
		req.Header.Set("Authorization", "Bearer "+v.token)
	}
	resp, err := client.Do(req)
	if err != nil {
		if e, ok := errors.AsType[*url.Error](err); ok {
			e.URL = shown
		}
		return "", err
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(io.LimitReader(resp.Body, maxFrames))
	if err != nil {
		return "", fmt.Errorf("%s: %w", shown, err)
	}
	if resp.StatusCode != http.StatusOK {
		said := strings.TrimSpace(string(body[:min(len(body), maxSaid)]))
		return "", fmt.Errorf("%s: %s: %s", shown, resp.Status, said)
	}
	return string(body), nil
}
