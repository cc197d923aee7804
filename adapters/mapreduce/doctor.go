package mapreduce

import (
	"context"
	"net/http"
	"slices"
	"strings"

	"github.com/paratimer/paratimer/adapters/internal/loose"
	"github.com/paratimer/paratimer/adapters/mrjob"
	"github.com/paratimer/paratimer/adapters/rest"
	"github.com/paratimer/paratimer/adapters/yarn"
)

// Doctor sends each service one or two requests, and reports what works, what does not, and what to do. The checks
// come in a fixed order. Checks that an earlier failure makes pointless are left out.
func Doctor(ctx context.Context, c *Client) []yarn.Check {
	e, manager, ok := yarn.Examine(ctx, c.Client)
	d := &doctor{Examination: e, client: c}
	if !ok {
		return d.Checks
	}
	if manager {
		d.Cluster(ctx)
		app, ended := d.applications(ctx)
		d.proxy(ctx, app, ended)
		d.Clock()
	}
	d.history(ctx)
	d.files(ctx)
	return d.Checks
}

type doctor struct {
	*yarn.Examination
	client *Client
}

// applications returns an application to test the proxy with: one that runs, else one that has ended.
func (d *doctor) applications(ctx context.Context) (app *yarn.App, ended bool) {
	for _, try := range []struct{ path, what string }{
		{"apps?states=RUNNING&applicationTypes=MAPREDUCE&limit=20&deSelects=resourceRequests", "run"},
		{
			"apps?states=FINISHED&applicationTypes=MAPREDUCE&limit=20&deSelects=resourceRequests",
			"have ended, none runs",
		},
	} {
		body, err := d.client.RM(ctx, try.path)
		var list []*yarn.App
		if err == nil {
			list, err = yarn.Apps(body)
		}
		if err != nil {
			d.Broken("applications", yarn.Fail, err)
			return nil, false
		}
		if len(list) > 0 {
			app = slices.MaxFunc(list, yarn.Older)
			d.Say("applications", yarn.OK, "", "%d MapReduce applications %s, the newest is %s of %s", len(list), try.what,
				app.ID, app.User)
			return app, ended
		}
		ended = true
	}
	d.Say("applications", yarn.OK, "", "no MapReduce application runs, none is remembered")
	return nil, true
}

// proxy tests the way to an application's master.
func (d *doctor) proxy(ctx context.Context, app *yarn.App, ended bool) {
	if app == nil {
		d.Say("proxy", yarn.OK, "start a job to have it tried", "not tried: there is no application")
		return
	}
	body, err := d.client.AM(ctx, app.ID, "jobs/"+app.Job())
	if ended {
		switch base := historyBase(err); {
		case base != "" && !d.client.moveHistory(base) && d.client.Site().JHSGuessed:
			d.Say("proxy", yarn.Warn, d.client.unnamedHistory(base),
				"sends applications that have ended to %s, which is not asked", base)
		case base != "":
			d.Say("proxy", yarn.OK, "", "sends applications that have ended to the history server at %s", base)
		case rest.Status(err) == http.StatusFound:
			d.Say("proxy", yarn.OK, "", "answers; %s left no history", app.ID)
		default:
			d.Broken("proxy", yarn.Warn, err)
		}
		return
	}
	b, err := yarn.Read[jobBody](ctx, app.Job(), body, err)
	if err != nil {
		d.Broken("proxy", d.harm(ctx, app), err)
		return
	}
	j := b.Job.V
	d.Say("proxy", yarn.OK, "", "%s is %s: %d of %d maps, %d of %d reduces", app.Job(), j.State,
		tasksOf(j.MapsDone), tasksOf(j.Maps), tasksOf(j.ReducesDone), tasksOf(j.Reduces))
	body, err = d.client.AM(ctx, app.ID, "jobs/"+app.Job()+"/conf")
	if _, err := mrjob.Properties(ctx, app.Job()+"/conf", body, err); err != nil {
		d.Broken("permissions", yarn.Warn, err)
		return
	}
	d.Say("permissions", yarn.OK, "", "the configuration of %s may be read, and with it its workflow", app.Job())
}

// harm grades a master that does not respond: it is only a warning if the application has just ended.
func (d *doctor) harm(ctx context.Context, app *yarn.App) yarn.Grade {
	over := yarn.NewOverview(d.client, nil)
	if now, known := over.App(ctx, app.ID); known && now.Ended {
		return yarn.Warn
	}
	return yarn.Fail
}

type historyBody struct {
	Info struct {
		Version loose.Label `json:"hadoopVersion"`
	} `json:"historyInfo"`
}

func (d *doctor) history(ctx context.Context) {
	body, err := d.client.JHS(ctx, "info")
	info, err := yarn.Read[historyBody](ctx, "history/info", body, err)
	if err != nil {
		d.Broken("history server", yarn.Fail, err)
		return
	}
	v := string(info.Info.Version)
	d.Say("history server", yarn.OK, "", "Hadoop %s", v)
	d.Version("history server", v)
	body, err = d.client.JHS(ctx, "mapreduce/jobs?limit=1")
	if _, err := yarn.Read[struct{}](ctx, "history/mapreduce/jobs", body, err); err != nil {
		d.Broken("history server", yarn.Warn, err)
	}
}

// files tests whether the NameNodes that the configuration names return sizes of files. Without any it reports
// nothing.
func (d *doctor) files(ctx context.Context) {
	bases := d.client.Site().NameNodes
	if len(bases) == 0 {
		return
	}
	_, err := d.client.HDFS(ctx, bases, "/", "GETFILESTATUS")
	if err != nil {
		d.Say("webhdfs", yarn.Warn,
			"until the first map of a job reports, the size of its input is not known: is dfs.webhdfs.enabled true, and is the port reachable?", "%s", yarn.Brief(err))
		return
	}
	d.Say("webhdfs", yarn.OK, "", "%s: inputs' sizes are read here", strings.Join(bases, ", "))
}
