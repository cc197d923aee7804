package spark

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"html"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/paratimer/paratimer/adapters/internal/input"
	"github.com/paratimer/paratimer/adapters/rest"
	"github.com/paratimer/paratimer/adapters/yarn"
	"github.com/paratimer/paratimer/dag"
)

// A Master lists the applications of a master of Spark's standalone mode from its web page. It is a Manager. Several
// goroutines may use it.
//
// The page's JSON has the applications, but not the addresses of their drivers (JsonProtocol and MasterPage of Spark).
// The HTML has them as links. It is requested only if an application is new.
type Master struct {
	Web
	bases []string

	mu    sync.Mutex
	pages map[string]string // addresses of drivers by application; "" has none
}

// NewMaster returns a master with the address of its page, such as http://master:8080. Of several masters
// one is active. history is the address of the history server, or "". It sends no request.
func NewMaster(client *yarn.Client, history string, bases ...string) *Master {
	return &Master{Web: Web{Client: client, History: history}, bases: bases, pages: map[string]string{}}
}

// ListsAll returns true: each list has all running applications.
func (m *Master) ListsAll() bool { return true }

// wireMaster is the response to /json/.
type wireMaster struct {
	ActiveApps, CompletedApps rest.List[wireMasterApp]
	ActiveDrivers             rest.List[wireDriver]
	Status, MasterWebUIURL    input.Label // the address is on a worker's page alone
}

type wireMasterApp struct {
	ID, Name, User, State input.Label
	StartTime, Duration   input.Optional
}

// A wireDriver is a driver that was submitted to run on a worker. Once it runs, its application is listed as well.
type wireDriver struct {
	ID, MainClass, State input.Label
	StartTime            input.Optional
}

// masterEnds are the states of applications that have ended, and what they mean. An application is FINISHED also if it
// has failed, or if its driver was killed.
var masterEnds = map[string]dag.State{
	"FINISHED": dag.EndedUnconfirmed, "FAILED": dag.Failed, "KILLED": dag.Killed, "UNKNOWN": dag.EndedUnconfirmed,
}

// List returns the applications of the active master, and the drivers that wait for a worker.
func (m *Master) List(ctx context.Context) ([]Listed, error) {
	var errs []error
	for _, base := range m.bases {
		all, err := m.list(ctx, base)
		if err == nil || ctx.Err() != nil {
			return all, err
		}
		errs = append(errs, err)
	}
	return nil, errors.Join(errs...)
}

func (m *Master) list(ctx context.Context, base string) ([]Listed, error) {
	body, _, err := m.Client.Send(ctx, rest.Request{
		Bases: []string{base}, Path: "/json/", Limit: rest.Middle, Clock: true, Advise: adviseMaster,
		Usable: func(kind string, _ []byte) bool { return kind == "text/json" },
	})
	w, err := rest.Read[wireMaster]("spark: the answer to "+base+"/json/", body, err)
	switch {
	case err != nil:
		return nil, err //nolint:wrapcheck // it names the request
	case w.MasterWebUIURL != "":
		return nil, fmt.Errorf("spark: %s is the page of a worker: give that of its master, %s", base, w.MasterWebUIURL)
	case w.Status == "":
		return nil, fmt.Errorf("spark: %s is not the page of a master: %s", base, masterHint)
	case w.Status != "ALIVE":
		return nil, fmt.Errorf("spark: the master at %s is %s: give the address of the active one as well, with a comma",
			base, w.Status)
	}
	var all []Listed
	for _, d := range w.ActiveDrivers {
		if d.State != "RUNNING" {
			all = append(all, Listed{
				ID: string(d.ID), Name: string(d.MainClass), State: dag.Submitted, Began: d.StartTime.Instant(),
				Ended: dag.NoInstant,
			})
		}
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if err := m.find(ctx, base, w.ActiveApps); err != nil {
		return nil, err
	}
	for _, a := range w.ActiveApps {
		all = append(all, a.listed(dag.Running, m.pages[string(a.ID)]))
	}
	for _, a := range w.CompletedApps {
		if state, known := masterEnds[string(a.State)]; known {
			all = append(all, a.listed(state, ""))
		}
	}
	return all, nil
}

func (a *wireMasterApp) listed(state dag.State, page string) Listed {
	l := Listed{
		ID: string(a.ID), Name: string(a.Name), User: string(a.User), State: state, Began: a.StartTime.Instant(),
		Ended: dag.NoInstant, URL: page,
	}
	if ms := a.Duration.Instant(); state.Ended() && l.Began.Known() && ms.Known() {
		l.Ended = l.Began + ms
	}
	return l
}

// driverLink matches the row of an application in the master's page: its id, and its name with a link to the driver. An
// application without a page has no link, or an empty one.
var driverLink = regexp.MustCompile(`(?s)<a href="app/\?appId=([^"]+)">.*?</td>\s*<td>\s*(?:<a href="([^"]*)">)?`)

// find finds the addresses of the drivers of running applications, if one of these is new. The caller holds the lock.
func (m *Master) find(ctx context.Context, base string, active []wireMasterApp) error {
	if !slices.ContainsFunc(active, func(a wireMasterApp) bool { _, known := m.pages[string(a.ID)]; return !known }) {
		return nil
	}
	body, _, err := m.Client.Send(ctx, rest.Request{
		Bases: []string{base}, Path: "/", Limit: rest.Middle, Advise: adviseMaster,
		Usable: func(kind string, body []byte) bool {
			return kind == "text/html" && bytes.Contains(body, []byte(MasterTitle))
		},
	})
	if err != nil {
		return err //nolint:wrapcheck // it names the request
	}
	m.pages = map[string]string{}
	for _, a := range active {
		m.pages[string(a.ID)] = ""
	}
	for _, row := range driverLink.FindAllSubmatch(body, -1) {
		if _, runs := m.pages[string(row[1])]; runs {
			m.pages[string(row[1])] = driverAddress(base, html.UnescapeString(string(row[2])))
		}
	}
	return nil
}

// driverAddress returns the address of a driver by a link in the master's page; "" if it is none. A master that is a
// reverse proxy (spark.ui.reverseProxy) has links that begin with /proxy/.
func driverAddress(base, link string) string {
	if strings.HasPrefix(link, "/proxy/") {
		return strings.TrimSuffix(base, "/") + strings.TrimSuffix(link, "/")
	}
	address, ok := Address(link)
	if u, err := url.Parse(address); !ok || err != nil || u.User != nil || u.RawQuery != "" {
		return ""
	}
	return address
}

const masterHint = "give the address of the master's page, which its log names, such as http://master:8080"

func adviseMaster(e *rest.Error, r *rest.Response) {
	if r != nil && r.Header.Get("WWW-Authenticate") == "" {
		e.Hint = masterHint
	}
}
