package command

import (
	"context"
	"net/http"
	"path/filepath"
	"strings"
	"time"

	"github.com/urfave/cli/v2"

	"github.com/paratimer/paratimer/adapters/rest"
	"github.com/paratimer/paratimer/cmd/paratimer/internal/metrics"
	"github.com/paratimer/paratimer/cmd/paratimer/internal/watch"
)

// metricsKey is the metadata key of an app's metrics.
const metricsKey = "metrics"

// MetricsOf returns the metrics of this run of the program; nil if no flag requests them.
func MetricsOf(c *cli.Context) *metrics.Metrics {
	if c.String("metrics") == "" && c.String("metrics-textfile") == "" {
		return nil
	}
	if m, ok := c.App.Metadata[metricsKey].(*metrics.Metrics); ok {
		return m
	}
	b, every := ThisBuild(), time.Duration(0)
	if c.Command.Name == "attach" || c.Command.Name == "watch" { // a replay has no waits
		every = c.Duration("every")
	}
	m := metrics.New(metrics.Options{Every: every, Version: b.Version, Revision: b.Revision, Go: b.Go})
	c.App.Metadata[metricsKey] = m
	return m
}

// Counted also counts the requests that pass a tap, if there are metrics. tap may be nil.
func Counted(c *cli.Context, tap rest.Layer) rest.Layer {
	m := MetricsOf(c)
	if m == nil {
		return tap
	}
	return func(next http.RoundTripper) http.RoundTripper { return m.Layer(tap.Over(next)) }
}

// ServeMetrics starts what --metrics and metrics-textfile request. m is nil if they are not set. done stops the
// server, after a linger time unless ctx has ended.
func ServeMetrics(ctx context.Context, c *cli.Context) (m *metrics.Metrics, done func(), err error) {
	m, done = MetricsOf(c), func() {}
	if m == nil {
		return nil, done, nil
	}
	if path := c.String("metrics-textfile"); path != "" {
		if !strings.HasSuffix(path, ".prom") {
			return nil, nil, Usage("metrics-textfile %s: the collector reads files whose name ends in .prom only",
				path)
		}
		m.WriteTo(filepath.Clean(path), max(c.Duration("every"), time.Second),
			func(err error) { Logger(c).Warn().Msg(err.Error()) })
	}
	if c.String("metrics") == "" {
		return m, done, nil
	}
	url, stop, err := Serve(c, "metrics", "metrics are", m.Handler(), metrics.Limits)
	if err != nil {
		return nil, nil, err
	}
	Logger(c).Info().Msgf("metrics at %s/metrics", url)
	return m, func() {
		_ = watch.Sleep(ctx, c.Duration("metrics-linger")) // the error does not matter at the end
		stop()
	}, nil
}
