package follow

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"net/http"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/urfave/cli/v2"

	"github.com/paratimer/paratimer/adapters/infile"
	"github.com/paratimer/paratimer/cmd/paratimer/internal/alert"
	"github.com/paratimer/paratimer/cmd/paratimer/internal/command"
	"github.com/paratimer/paratimer/cmd/paratimer/internal/command/input"
	"github.com/paratimer/paratimer/cmd/paratimer/internal/frame"
	"github.com/paratimer/paratimer/cmd/paratimer/internal/metrics"
	"github.com/paratimer/paratimer/cmd/paratimer/internal/notify"
	"github.com/paratimer/paratimer/cmd/paratimer/internal/watch"
	"github.com/paratimer/paratimer/units"
)

// Sinks creates the sinks of the flags, with a clock. Errors do not include the address of --webhook, which may contain
// a token.
func Sinks(c *cli.Context, now func() time.Time) (all []*notify.Sink, err error) {
	pool, err := command.Trusted(c) // insecure applies only to the cluster
	if err != nil {
		return nil, err
	}
	if err := notify.CheckLink(c.String("link")); err != nil {
		return nil, command.Usage("--link: %w", err)
	}
	client, getenv := notify.NewClient(pool), command.Getenv(c)
	for _, kind := range []struct {
		flag string
		open func(typed string) (*notify.Sink, error)
	}{
		{"alertmanager", func(url string) (*notify.Sink, error) {
			return notify.NewAlertmanager(url, c.Duration("repost"), client, now)
		}},
		{"webhook", func(url string) (*notify.Sink, error) { return webhook(c, url, client) }},
		{"exec", func(line string) (*notify.Sink, error) { return execCommand(c, line) }},
		{"openlineage", func(url string) (*notify.Sink, error) {
			return notify.NewOpenLineage(url, getenv("OPENLINEAGE_API_KEY"), getenv("OPENLINEAGE_NAMESPACE"), client)
		}},
	} {
		values := []string{c.String(kind.flag)}
		if kind.flag == "alertmanager" {
			values = strings.Split(values[0], ",")
		}
		for _, typed := range values {
			if typed == "" {
				continue
			}
			s, err := kind.open(typed)
			if err != nil {
				return nil, command.Usage("--%s: %w", kind.flag, err)
			}
			all = append(all, s)
		}
	}
	return all, nil
}

// webhook returns the sink of --webhook.
func webhook(c *cli.Context, url string, client *http.Client) (*notify.Sink, error) {
	key, err := command.Secret(c, "webhook-secret")
	if err != nil {
		return nil, err
	}
	return withTemplate(c, "webhook-template", notify.Services, func(body string) (*notify.Sink, error) {
		return notify.NewWebhook(url, body, []byte(key), client)
	})
}

// execCommand returns the sink of --exec.
func execCommand(c *cli.Context, line string) (*notify.Sink, error) {
	return withTemplate(c, "exec-template", notify.Inputs, func(input string) (*notify.Sink, error) {
		return notify.NewCommand(line, input, c.Duration("exec-timeout"), command.Environ(c))
	})
}

// withTemplate opens a sink with the template of a setting: the name of a built-in one, or the content of its file; ""
// if not set.
func withTemplate(c *cli.Context, name string, ready []string, open func(text string) (*notify.Sink, error)) (
	s *notify.Sink, err error,
) {
	path := c.String(name)
	text := path
	if path != "" && !slices.Contains(ready, path) {
		b, err := infile.ReadFile(path, command.MaxSinkFile)
		switch {
		case errors.Is(err, fs.ErrNotExist):
			return nil, fmt.Errorf("%s: %w; the ready templates are %s", name, err, strings.Join(ready, ", "))
		case err != nil:
			return nil, fmt.Errorf("%s: %w", name, err)
		case len(bytes.TrimSpace(b)) == 0:
			return nil, fmt.Errorf("%s %s: it is empty", name, path)
		}
		text = string(b)
	}
	if s, err = open(text); err != nil && text != "" {
		err = fmt.Errorf("%s %s: %w", name, path, err)
	}
	return s, err
}

// Dispatcher returns a dispatcher to the sinks of the flags, which is started if there are any; with --dry-run one that
// prints what would be sent to them, or to all kinds of sinks if none is set. finish closes it, after at most drain.
func Dispatcher(c *cli.Context, now func() time.Time) (d *notify.Dispatcher, finish func(), err error) {
	all, err := Sinks(c, now)
	if err != nil {
		return nil, nil, err
	}
	log := command.Logger(c)
	conf := notify.Config{
		Link: c.String("link"), Sinks: all, Repost: c.Duration("repost"), Seed: uint64(os.Getpid()), Log: *log, Now: now,
	}
	finish = func() {}
	switch {
	case c.Bool("dry-run"):
		if len(all) == 0 {
			all = []*notify.Sink{notify.NoTarget}
		}
		conf.Sinks = units.Each(all, func(s *notify.Sink) *notify.Sink { return notify.DryRun(s, c.App.ErrWriter) })
		conf.Inline = true
		return notify.New(conf), finish, nil
	case len(all) == 0: // it stores nothing
		return notify.New(conf), finish, nil
	}
	if store, err := input.OpenState(c); err != nil {
		log.Warn().Err(err).Msg(
			"sent alerts are not recorded: a restart may send them again; give a folder with --state-dir")
	} else {
		conf.Store = store
	}
	d = notify.New(conf)
	if m := command.MetricsOf(c); m != nil {
		m.Also(func(emit metrics.Emit) { metrics.Deliveries(emit, d.Stats()) })
	}
	d.Start()
	return d, func() {
		if left := d.Close(c.Duration("drain")); left > 0 {
			log.Warn().Int("left", left).Msg("not all alerts could be sent within drain; the next watch with the same sinks sends them")
		}
	}, nil
}

// Notify makes a watch send alerts to the sinks of the flags, or with --dry-run print them. Then it uses the cluster's
// clock, so that a recording always gives the same output. The caller must call finish at the end.
func Notify(c *cli.Context, w *watch.Watch) (finish func(), err error) {
	now, at := time.Now, time.Time{}
	if c.Bool("dry-run") {
		now = func() time.Time { return at }
	}
	d, end, err := Dispatcher(c, now)
	if err != nil {
		return nil, err
	}
	part := d.Watch(nil)
	w.Recall = part.Recall
	w.Keep = func(s alert.State, f frame.Frame) {
		if f.At != nil {
			at = f.At.Time()
		}
		part.Keep(s, f)
	}
	return func() { part.Close(); end() }, nil
}

// Preview is Notify for commands that replay the past: it sends nothing.
func Preview(c *cli.Context, w *watch.Watch) error {
	if c.Bool("dry-run") {
		_, err := Notify(c, w)
		return err
	}
	all, err := Sinks(c, time.Now)
	if len(all) > 0 {
		command.Logger(c).Warn().Msg("alerts of a past run are not sent; --dry-run prints what would be sent")
	}
	return err
}
