package input

import (
	"bufio"
	"cmp"
	"context"
	"fmt"
	"io"
	"os"
	"slices"
	"strconv"
	"strings"

	"github.com/urfave/cli/v2"
	"golang.org/x/term"

	"github.com/paratimer/paratimer/adapters/engine"
	"github.com/paratimer/paratimer/adapters/kubernetes"
	"github.com/paratimer/paratimer/adapters/rest"
	"github.com/paratimer/paratimer/adapters/spark"
	"github.com/paratimer/paratimer/adapters/yarn"
	"github.com/paratimer/paratimer/cmd/paratimer/internal/command"
	"github.com/paratimer/paratimer/cmd/paratimer/internal/history"
	"github.com/paratimer/paratimer/cmd/paratimer/internal/watch"
	"github.com/paratimer/paratimer/dag"
	"github.com/paratimer/paratimer/units"
)

// A manager has the Spark applications at one place that is not YARN.
type manager struct {
	drivers *spark.Drivers
	client  *engine.Client
	listing string                                         // what doctor calls the request of the list
	rights  func(ctx context.Context, d *yarn.Examination) // checks rights at an API server; nil elsewhere
	where   string                                         // for messages, such as "on this machine"
	how     string                                         // how one is chosen
	isLocal bool                                           // nothing else is named, so it is this machine
	master  string                                         // the spark:// address that was typed in place of that of its page; ""
}

// isMaster reports whether a text is the address of a master for applications, which is not that of its page.
func isMaster(typed string) bool { return strings.HasPrefix(typed, "spark://") }

// managerOf returns the manager that the flags name, or a typed master; without any cluster this machine; nil for YARN.
// starting may be nil, or is as in spark.Machine.
func managerOf(c *cli.Context, master string, tap rest.Layer, starting func(address string)) (*manager, error) {
	history := optionsOfQuery(c).History
	switch pages := c.String("spark-master"); {
	case c.Bool("kubernetes"):
		return kubernetesOf(c, tap)
	case master != "" || pages != "":
		bases, err := pagesOf(cmp.Or(master, pages))
		if err != nil {
			return nil, err
		}
		client, err := sparkClient(c, strings.Join(bases, ","), tap)
		if err != nil {
			return nil, err
		}
		return &manager{
			drivers: spark.NewDrivers(spark.NewMaster(client.Client, history, bases...)), client: client, listing: "spark master",
			where: "at " + strings.Join(bases, ", "), how: "its id or name", master: master,
		}, nil
	case HasCluster(c):
		return nil, nil //nolint:nilnil // it is YARN
	}
	client, err := sparkClient(c, "http://localhost:4040", tap)
	if err != nil {
		return nil, err
	}
	return &manager{
		drivers: spark.NewDrivers(&spark.Machine{
			Web: spark.Web{Client: client.Client, History: history}, Starting: starting,
		}),
		client: client, where: "on this machine", how: "--spark URL", isLocal: true,
	}, nil
}

// kubernetesOf returns the drivers in the Kubernetes cluster of --context and --namespace.
func kubernetesOf(c *cli.Context, tap rest.Layer) (*manager, error) {
	access, err := kubernetes.FindAccess(c.String("context"), c.String("namespace"), command.Getenv(c))
	if err != nil {
		return nil, command.Usage("%w", err)
	}
	where, err := yarn.RMSite(access.Base, "")
	if err != nil {
		return nil, command.Usage("%w", err)
	}
	client, err := clientOf(c, where, tap, access)
	if err != nil {
		return nil, err
	}
	cluster := kubernetes.New(client.Client, access, optionsOfQuery(c).History)
	return &manager{
		drivers: spark.NewDrivers(cluster), client: client, listing: "kubernetes list pods", rights: cluster.Rights,
		where: "in namespace " + access.Namespace + " of " + access.Base, how: "its id or name",
	}, nil
}

// masterPort is where the page of a master is by default.
const masterPort = ":8080"

// pagesOf returns the addresses of the pages of masters, or the usual ones of the pages of spark:// addresses.
func pagesOf(typed string) (bases []string, err error) {
	for one := range strings.SplitSeq(strings.TrimPrefix(typed, "spark://"), ",") {
		if host, _, hasPort := strings.Cut(one, ":"); isMaster(typed) && hasPort && rest.PlainHost(host) {
			one = "http://" + host + masterPort
		}
		base, ok := spark.Address(one)
		if !ok {
			return nil, command.Usage("--spark-master %s: give the address of the master's page, such as http://master:8080", typed)
		}
		bases = append(bases, base)
	}
	return bases, nil
}

// mostShown bounds the applications of a choice.
const mostShown = 20

// find returns the application with a name or id, the newest one of several, or the only application. If several are
// left, the user chooses one on a terminal. It returns nil if there is none on this machine.
func (m *manager) find(c *cli.Context, typed string) (*spark.Listed, error) {
	err := m.drivers.Refresh(c.Context)
	switch {
	case err != nil && m.master != "":
		return nil, command.Usage("%s: that is a master. Give its page by --spark-master, because it is not %s: %w", m.master,
			m.where, err)
	case err != nil:
		return nil, err //nolint:wrapcheck // it names the request
	case m.master != "":
		command.Notice(c)(m.master + " is a master, not a driver: its applications are those " + m.where)
	}
	found := m.drivers.Open()
	l, err := m.choose(found, typed)
	in, isFile := c.App.Reader.(*os.File)
	if err == nil || typed != "" || !isFile || !term.IsTerminal(int(in.Fd())) || len(found) < 2 {
		return l, err
	}
	fmt.Fprintln(c.App.ErrWriter, m.list(found, true))
	i, err := ask(c.Context, in, c.App.ErrWriter, min(len(found), mostShown))
	if err != nil {
		return nil, err
	}
	return m.watchable(&found[i])
}

// choose is find without a terminal. The newest of found comes first.
func (m *manager) choose(found []spark.Listed, typed string) (*spark.Listed, error) {
	app, _ := spark.AppOf(typed)
	named := found
	if app != "" {
		named = slices.DeleteFunc(slices.Clone(found), func(l spark.Listed) bool {
			return l.ID != app && !GoesBy(app, l.Name) && history.Key(l.Name) != history.Key(app)
		})
	}
	switch {
	case len(named) == 1 || len(named) > 1 && app != "":
		return m.watchable(&named[0])
	case len(found) == 0 && m.isLocal:
		return nil, nil //nolint:nilnil // there is none
	case len(found) == 0:
		return nil, fmt.Errorf("%w %s", ErrIdle, m.where)
	case len(named) == 0:
		return nil, command.Usage("%w that is called %s %s. These run:\n%s", ErrIdle, app, m.where, m.list(found, false))
	}
	return nil, command.Usage("%s %s: choose one by %s\n%s", units.Count(len(found), "Spark application"), m.where,
		m.how, m.list(found, false))
}

// watchable returns the application, or an error if it has no driver that can be watched.
func (m *manager) watchable(l *spark.Listed) (*spark.Listed, error) {
	switch {
	case l.State == dag.Running && l.URL == "":
		return nil, command.Usage("%s (%s) has no page: it was started with spark.ui.enabled=false", l.Name, l.ID)
	case l.State == dag.Running || !m.isLocal && l.URL != "":
		return l, nil
	case m.isLocal:
		return nil, command.Usage("%s is open, and no page of Spark has answered there: is it a driver? Give --spark URL", l.URL)
	}
	return nil, command.Usage("%s (%s) has not started: it waits for a worker", l.Name, l.ID)
}

// list returns a line for each application, with a number if numbered.
func (m *manager) list(found []spark.Listed, numbered bool) string {
	now, text := m.drivers.Now(), ""
	for i, l := range found[:min(len(found), mostShown)] {
		if text += "  "; numbered {
			text += fmt.Sprintf("%2d  ", i+1)
		}
		if text += l.URL; l.Name != "" {
			text += "  " + l.Name + " (" + l.ID + ")"
		}
		switch {
		case l.State == dag.Submitted:
			text += "  starting up"
		case l.Began.Known():
			text += "  started " + units.Ago(now.Sub(l.Began))
		}
		text += "\n"
	}
	if left := len(found) - mostShown; left > 0 {
		text += fmt.Sprintf("  and %d more: `paratimer list` has all\n", left)
	}
	return strings.TrimSuffix(text, "\n")
}

// ask returns the index of the number from 1 to n that a user types.
func ask(ctx context.Context, in io.Reader, out io.Writer, n int) (int, error) {
	return watch.UnlessDone(ctx, func() (int, error) {
		for lines := bufio.NewScanner(in); ; {
			fmt.Fprintf(out, "Which one? [1-%d] ", n)
			if !lines.Scan() {
				return 0, command.Usage("none was chosen")
			}
			if i, err := strconv.Atoi(strings.TrimSpace(lines.Text())); err == nil && i >= 1 && i <= n {
				return i - 1, nil
			}
		}
	})
}
