package command

import (
	"context"
	"net/http"
	"path/filepath"
	"strings"
	"time"

	"github.com/urfave/cli/v2"

	"github.com/paratimer/paratimer/adapters/hadoop"
	"github.com/paratimer/paratimer/cmd/paratimer/internal/metrics"
	"github.com/paratimer/paratimer/cmd/paratimer/internal/notify"
	"github.com/paratimer/paratimer/cmd/paratimer/internal/watch"
)

// MetricsFlags say where metrics are shown.
func MetricsFlags() []cli.Flag {
	return append(About("Metrics",
		&cli.StringFlag{
			Name: "metrics", EnvVars: Env("metrics"),
			Usage: "serve Prometheus metrics at `ADDRESS`; a port alone, such as :9188, is local",
		},
		&cli.DurationFlag{
			Name: "metrics-linger", EnvVars: Env("metrics-linger"),
			Usage: "serve metrics for `TIME` after the end, so that the end is scraped",
		},
		&cli.StringFlag{
			Name: "metrics-textfile", EnvVars: Env("metrics-textfile"),
			Usage: "write metrics to `FILE`.prom, for a node exporter's textfile collector",
		},
	), ServeFlags()...)
}

// metricsKey is where an app keeps the metrics of its run.
const metricsKey = "metrics"

// MetricsOf are the metrics of this run of the program; nil where nobody asks for them.
func MetricsOf(c *cli.Context) *metrics.Metrics {
	if c.String("metrics") == "" && c.String("metrics-textfile") == "" {
		return nil
	}
	if m, ok := c.App.Metadata[metricsKey].(*metrics.Metrics); ok {
		return m
	}
	b := ThisBuild()
	m := metrics.New(metrics.Options{Every: observes(c), Version: b.Version, Revision: b.Revision, Go: b.Go})
	c.App.Metadata[metricsKey] = m
	return m
}

// observes is how often a live command observes; 0 of one that plays a run, which nobody waits for.
func observes(c *cli.Context) time.Duration {
	if c.Command.Name == "attach" || c.Command.Name == "watch" {
		return c.Duration("every")
	}
	return 0
}

// Counted has the requests that pass a tap counted as well, where metrics are asked for. tap may be nil.
func Counted(c *cli.Context, tap hadoop.Layer) hadoop.Layer {
	m := MetricsOf(c)
	if m == nil {
		return tap
	}
	return func(next http.RoundTripper) http.RoundTripper {
		if tap != nil {
			next = tap(next)
		}
		return m.Layer(next)
	}
}

// CountDeliveries has metrics, where they are asked for, say what was sent of alerts.
func CountDeliveries(c *cli.Context, d *notify.Dispatcher) {
	m := MetricsOf(c)
	if m == nil {
		return
	}
	m.Deliveries(func() []metrics.Delivery {
		var out []metrics.Delivery
		for _, s := range d.Stats() {
			out = append(out, metrics.Delivery(s))
		}
		return out
	})
}

// ServeMetrics serves what --metrics and --metrics-textfile ask for. m is nil where they ask for nothing. The server
// ends with done, which lingers first, unless ctx is over.
func ServeMetrics(ctx context.Context, c *cli.Context) (m *metrics.Metrics, done func(), err error) {
	m, done = MetricsOf(c), func() {}
	if m == nil {
		return nil, done, nil
	}
	log := Logger(c)
	if path := c.String("metrics-textfile"); path != "" {
		if !strings.HasSuffix(path, ".prom") {
			return nil, nil, Usage("--metrics-textfile %s: the collector reads files whose name ends in .prom only",
				path)
		}
		m.WriteTo(filepath.Clean(path), max(c.Duration("every"), time.Second),
			func(err error) { log.Warn().Msg(err.Error()) })
	}
	typed := c.String("metrics")
	if typed == "" {
		return m, done, nil
	}
	listener, door, err := Listen(ctx, c, "metrics", typed)
	if err != nil {
		return nil, nil, err
	}
	log.Info().Msgf("metrics at %s://%s/metrics", door.Scheme(), listener.Addr())
	stop := m.Serve(listener, door, func(err error) { log.Error().Err(err).Msg("metrics are not served any more") })
	return m, func() {
		_ = watch.Sleep(ctx, c.Duration("metrics-linger")) // however it ends, it is over
		stop()
	}, nil
}
