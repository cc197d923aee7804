package live

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"net"
	"net/netip"
	"os"
	"time"

	"github.com/urfave/cli/v2"

	"github.com/paratimer/paratimer/adapters/tap"
	"github.com/paratimer/paratimer/adapters/yarn"
	"github.com/paratimer/paratimer/cmd/paratimer/internal/command"
	"github.com/paratimer/paratimer/cmd/paratimer/internal/metrics"
	"github.com/paratimer/paratimer/cmd/paratimer/internal/serve"
	"github.com/paratimer/paratimer/cmd/paratimer/internal/watch"
	"github.com/paratimer/paratimer/dag"
)

// Limits of the collector. Taps have only short connections.
const (
	collectConnections = 256
	collectTime        = 10 * time.Second
)

// A collector receives key groups from taps while a command watches.
type collector struct {
	store *tap.Store
	opt   tap.Options
	stop  func()
}

// collecting starts the server of --collect; nil if it is not set.
func collecting(c *cli.Context) (*collector, error) {
	if c.String("collect") == "" {
		return nil, nil
	}
	token, err := command.Token(c, "collect-token")
	if err != nil {
		return nil, err
	}
	given := token != ""
	listener, _, err := command.Listen(c, "collect", serve.Door{Token: token},
		"in collect-token-file or PARATIMER_COLLECT_TOKEN")
	if err != nil {
		return nil, err
	}
	if !given {
		token = rand.Text()
	}
	log, notice := command.Logger(c), command.Notice(c)
	k := &collector{store: tap.NewStore(tap.Limits{Lambda: c.Int("lambda"), Capacity: c.Int("capacity")})}
	k.opt = tap.Options{Report: func(job string) { notice("key groups of " + job + " come in") }}
	handler := tap.NewHandler(k.store, token, time.Now, func(err error) { log.Warn().Msg(err.Error()) })
	k.stop = serve.Serve(listener, handler, serve.Limits{Connections: collectConnections, Time: collectTime},
		serve.Door{},
		func(err error) { log.Error().Err(err).Msg("key groups are no longer received") })
	if command.LogsToFile(c) && !given { // a generated token is printed, and not written to a file
		// as for a log, errors are ignored
		_, _ = fmt.Fprintln(c.App.ErrWriter, invitation(listener.Addr().String(), token))
		given = true
	}
	if given {
		token = "TOKEN"
	}
	notice(invitation(listener.Addr().String(), token))
	if m := command.MetricsOf(c); m != nil {
		m.Also(k.count)
	}
	return k, nil
}

// count emits the counts of received key groups.
func (k *collector) count(emit metrics.Emit) {
	c := k.store.Counts()
	emit("collect_batches_total", float64(c.Taken))
	emit("collect_batches_refused_total", float64(c.Refused))
	emit("collect_jobs", float64(c.Jobs), "true")
	emit("collect_jobs", float64(c.Orphans), "false")
	emit("collect_bytes", float64(c.Bytes))
}

// source returns src with the received key groups. done closes it. k may be nil.
func (k *collector) source(src watch.Source) (with watch.Source, done func()) {
	if k == nil {
		return src, func() {}
	}
	s := tap.NewSource(src, k.store, k.opt)
	return s, func() { _ = s.Close() } // it cannot fail
}

// close stops the collector, which may be nil.
func (k *collector) close() {
	if k != nil {
		k.stop()
	}
}

// invitation describes the options of a Streaming job with which its taps find the collector.
func invitation(address, token string) string {
	host, port, err := net.SplitHostPort(address)
	if ip, bad := netip.ParseAddr(host); err == nil && bad == nil && ip.IsUnspecified() {
		if name, err := os.Hostname(); err == nil {
			address = net.JoinHostPort(name, port)
		}
	}
	return fmt.Sprintf("key groups are taken in at %s; give a Streaming job: -files paratimer-tap -cmdenv PARATIMER_COLLECT=%s -cmdenv PARATIMER_TOKEN=%s "+
		`-mapper "paratimer-tap map -- MAPPER" -reducer "paratimer-tap reduce -- REDUCER"; any other job: paratimer-tap job hadoop --collect %s JAR`, address, address, token, address)
}

// awaiting waits for a query if none runs yet: users submit the job after they have read the invitation.
type awaiting struct {
	watch.Source
	every time.Duration
	say   func(string)
	said  bool
	seen  bool
}

func (a *awaiting) Next(ctx context.Context) (*dag.Snapshot, error) {
	for {
		s, err := a.Source.Next(ctx)
		if _, none := errors.AsType[*yarn.NoWorkflowError](err); !none || a.seen {
			a.seen = a.seen || s != nil
			return s, err
		}
		if !a.said {
			a.said = true
			a.say("nothing runs yet: waiting for a query to be submitted")
		}
		if err := watch.Sleep(ctx, a.every); err != nil {
			return nil, err
		}
	}
}
