package follow

import (
	"bytes"
	"errors"
	"io"
	"io/fs"
	"net/http"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/urfave/cli/v2"

	"github.com/paratimer/paratimer/cmd/paratimer/internal/alert"
	"github.com/paratimer/paratimer/cmd/paratimer/internal/command"
	"github.com/paratimer/paratimer/cmd/paratimer/internal/command/input"
	"github.com/paratimer/paratimer/cmd/paratimer/internal/frame"
	"github.com/paratimer/paratimer/cmd/paratimer/internal/notify"
	"github.com/paratimer/paratimer/cmd/paratimer/internal/notify/sinks"
	"github.com/paratimer/paratimer/cmd/paratimer/internal/tty"
	"github.com/paratimer/paratimer/cmd/paratimer/internal/view"
	"github.com/paratimer/paratimer/cmd/paratimer/internal/watch"
)

// Sinks creates the sinks of the flags, with a clock.
func Sinks(c *cli.Context, now func() time.Time) ([]*notify.Sink, error) {
	for name, least := range map[string]time.Duration{
		"repost":       100 * time.Millisecond,
		"exec-timeout": time.Millisecond, "drain": 0,
	} {
		if d := c.Duration(name); d < least {
			return nil, command.Usage("--%s %v: it is %v or more", name, d, least)
		}
	}
	client, err := sinkClient(c)
	if err != nil {
		return nil, err
	}
	var all []*notify.Sink
	for url := range strings.FieldsFuncSeq(c.String("alertmanager"), func(r rune) bool { return r == ',' }) {
		s, err := sinks.NewAlertmanager(url, c.Duration("repost"), client, now)
		if err != nil {
			return nil, command.Usage("--alertmanager: %w", err)
		}
		all = append(all, s)
	}
	if url := c.String("webhook"); url != "" {
		s, err := webhook(c, url, client)
		if err != nil {
			return nil, err
		}
		all = append(all, s)
	} else if c.IsSet("webhook-template") || c.IsSet("webhook-secret-file") {
		return nil, command.Usage("webhook-template and webhook-secret-file go with --webhook URL")
	}
	if line := c.String("exec"); line != "" {
		s, err := execCommand(c, line)
		if err != nil {
			return nil, err
		}
		all = append(all, s)
	} else if c.IsSet("exec-template") {
		return nil, command.Usage("exec-template goes with --exec COMMAND")
	}
	if url := c.String("openlineage"); url != "" {
		getenv := command.Getenv(c)
		s, err := sinks.NewOpenLineage(url, getenv("OPENLINEAGE_API_KEY"), getenv("OPENLINEAGE_NAMESPACE"), client)
		if err != nil {
			return nil, command.Usage("openlineage: %w", err)
		}
		all = append(all, s)
	}
	if c.Bool("bell") {
		if w := terminal(c); w != nil {
			all = append(all, sinks.Bell(w))
		}
	}
	return all, nil
}

// terminal returns a terminal for the bell; nil if there is none.
func terminal(c *cli.Context) io.Writer {
	for _, w := range []io.Writer{c.App.ErrWriter, c.App.Writer} {
		if aside, ok := w.(*tty.Aside); ok {
			w = aside.Under() // a bell does not disturb a screen
		}
		if view.Terminal(w) {
			return w
		}
	}
	return nil
}

// sinkClient trusts the same certificates as the cluster's client. insecure applies only to the cluster.
func sinkClient(c *cli.Context) (*http.Client, error) {
	pool, err := command.Trusted(c)
	if err != nil {
		return nil, err
	}
	return sinks.NewClient(pool), nil
}

// webhook returns the sink of --webhook. Its errors do not include the address, which may contain a token.
func webhook(c *cli.Context, url string, client *http.Client) (*notify.Sink, error) {
	key, err := command.Secret(c, "webhook-secret")
	if err != nil {
		return nil, err
	}
	body, err := templateOf(c, "webhook-template", sinks.Services)
	if err != nil {
		return nil, err
	}
	s, err := sinks.NewWebhook(url, body, []byte(key), client)
	if err != nil && body != "" {
		return nil, command.Usage("--webhook, webhook-template %s: %w", c.String("webhook-template"), err)
	}
	if err != nil {
		return nil, command.Usage("--webhook: %w", err)
	}
	return s, nil
}

// execCommand returns the sink of --exec.
func execCommand(c *cli.Context, line string) (*notify.Sink, error) {
	input, err := templateOf(c, "exec-template", sinks.Inputs)
	if err != nil {
		return nil, err
	}
	s, err := sinks.NewCommand(line, input, c.Duration("exec-timeout"), command.WithoutSecrets(command.Environ(c)))
	if err != nil {
		return nil, command.Usage("exec-template %s: %w", c.String("exec-template"), err)
	}
	return s, nil
}

// templateOf returns the template of a flag: the name of a built-in one, or the content of its file; "" if not set.
func templateOf(c *cli.Context, flag string, ready []string) (string, error) {
	path := c.String(flag)
	if path == "" || slices.Contains(ready, path) {
		return path, nil
	}
	b, err := command.ReadBounded(path)
	if errors.Is(err, fs.ErrNotExist) {
		return "", command.Usage("--%s: %w; the ready templates are %s", flag, err, strings.Join(ready, ", "))
	}
	if err != nil {
		return "", command.Usage("--%s: %w", flag, err)
	}
	if len(bytes.TrimSpace(b)) == 0 {
		return "", command.Usage("--%s %s: it is empty", flag, path)
	}
	return string(b), nil
}

// Dispatcher returns a started dispatcher to the sinks of the flags, nil if there are none; with --dry-run one that
// prints what would be sent to them, or to all kinds of sinks if none is set. finish closes it, after at most drain.
func Dispatcher(c *cli.Context, now func() time.Time) (d *notify.Dispatcher, finish func(), err error) {
	all, err := Sinks(c, now)
	log := command.Logger(c)
	conf := notify.Config{Sinks: all, Repost: c.Duration("repost"), Seed: uint64(os.Getpid()), Log: log, Now: now}
	switch {
	case err != nil:
		return nil, nil, err
	case c.Bool("dry-run"):
		conf.Sinks, conf.Inline = dry(all, c.App.ErrWriter), true
		return notify.New(conf), func() {}, nil
	case len(all) == 0:
		return nil, func() {}, nil
	}
	if store, err := input.OpenState(c); err != nil {
		log.Warn().Err(err).Msg(
			"sent alerts are not recorded: a restart may send them again; give a folder with --state-dir")
	} else {
		conf.Store = store
	}
	d = notify.New(conf)
	command.CountDeliveries(c, d)
	d.Start()
	return d, func() {
		if left := d.Close(c.Duration("drain")); left > 0 {
			log.Warn().Int("left",
				left).Msg("not all alerts could be sent within drain; the next watch with the same sinks sends them")
		}
	}, nil
}

// dry returns sinks that print what others would send.
func dry(all []*notify.Sink, w io.Writer) (printing []*notify.Sink) {
	for _, s := range all {
		if s.Preview != nil {
			printing = append(printing, sinks.DryRun(s, w))
		}
	}
	if len(printing) == 0 {
		printing = append(printing, sinks.DryRun(sinks.Nobody, w))
	}
	return printing
}

// Notifying returns an option of Run that sends alerts to the sinks of the flags, or with --dry-run prints them. Then
// it uses the cluster's clock, so that a recording always gives the same output. The caller must call finish at the
// end.
func Notifying(c *cli.Context) (option func(*watch.Watch), finish func(), err error) {
	now, at := time.Now, time.Time{}
	if c.Bool("dry-run") {
		now = func() time.Time { return at }
	}
	d, end, err := Dispatcher(c, now)
	if err != nil || d == nil {
		return func(*watch.Watch) {}, end, err
	}
	part := d.Watch(nil)
	return func(w *watch.Watch) {
		w.Recall = part.Recall
		w.Keep = func(s alert.State, f frame.Frame) error {
			if f.At != nil {
				at = f.At.Time()
			}
			return part.Keep(s, f)
		}
	}, func() { part.Close(); end() }, nil
}

// Printing is Notifying for commands that replay the past: it sends nothing.
func Printing(c *cli.Context) (option func(*watch.Watch), err error) {
	if c.Bool("dry-run") {
		option, _, err = Notifying(c)
		return option, err
	}
	all, err := Sinks(c, time.Now)
	if len(all) > 0 {
		log := command.Logger(c)
		log.Warn().Msg("alerts of a past run are not sent; --dry-run prints what would be sent")
	}
	return func(*watch.Watch) {}, err
}
