package mapreduce

import (
	"context"
	"net/http"
	"slices"

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
		d.applications(ctx)
		d.Clock()
	}
	d.history(ctx)
	return d.Checks
}

type doctor struct {
	*yarn.Examination
	client *Client
}

// applications tests the way to the master of an application that runs, else to the history of one that has ended.
func (d *doctor) applications(ctx context.Context) {
	for _, try := range []struct {
		states, what string
		test         func(context.Context, *yarn.App)
	}{
		{"RUNNING", "run", d.master},
		{"FINISHED", "have ended, none runs", d.redirect},
	} {
		body, err := d.client.RM(ctx, "apps?states="+try.states+
			"&applicationTypes=MAPREDUCE&limit=20&deSelects=resourceRequests")
		var list []*yarn.App
		if err == nil {
			list, err = yarn.Apps(body)
		}
		if err != nil {
			d.Broken("applications", yarn.Fail, err)
			d.Say("proxy", yarn.OK, "start a job to have it tried", "not tried: there is no application")
			return
		}
		if len(list) > 0 {
			app := slices.MaxFunc(list, yarn.Older)
			d.Say("applications", yarn.OK, "", "%d MapReduce applications %s, the newest is %s of %s", len(list), try.what,
				app.ID, app.User)
			try.test(ctx, app)
			return
		}
	}
	d.Say("applications", yarn.OK, "", "no MapReduce application runs, none is remembered")
	d.Say("proxy", yarn.OK, "start a job to have it tried", "not tried: there is no application")
}

// master tests the way to the master of an application that runs.
func (d *doctor) master(ctx context.Context, app *yarn.App) {
	body, err := d.client.AM(ctx, app.ID, "jobs/"+app.Job())
	b, err := yarn.Read[jobBody](app.Job(), body, err)
	if err != nil {
		d.Broken("proxy", yarn.Fail, err)
		return
	}
	j := b.Job.V
	d.Say("proxy", yarn.OK, "", "%s is %s: %d of %d maps, %d of %d reduces", app.Job(), j.State,
		tasksOf(j.MapsDone), tasksOf(j.Maps), tasksOf(j.ReducesDone), tasksOf(j.Reduces))
	body, err = d.client.AM(ctx, app.ID, "jobs/"+app.Job()+"/conf")
	if _, err := mrjob.Properties(app.Job()+"/conf", body, err); err != nil {
		d.Broken("permissions", yarn.Warn, err)
		return
	}
	d.Say("permissions", yarn.OK, "", "the configuration of %s may be read, and with it its workflow", app.Job())
}

// redirect tests whether the proxy leads from an application that has ended to the history server.
func (d *doctor) redirect(ctx context.Context, app *yarn.App) {
	_, err := d.client.AM(ctx, app.ID, "jobs/"+app.Job())
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
}

func (d *doctor) history(ctx context.Context) {
	type historyBody struct {
		Info struct {
			Version loose.Label `json:"hadoopVersion"`
		} `json:"historyInfo"`
	}
	body, err := d.client.JHS(ctx, "info")
	info, err := yarn.Read[historyBody]("history/info", body, err)
	if err != nil {
		d.Broken("history server", yarn.Fail, err)
		return
	}
	v := string(info.Info.Version)
	d.Say("history server", yarn.OK, "", "Hadoop %s", v)
	d.Version("history server", v)
	if _, err = d.client.JHS(ctx, "mapreduce/jobs?limit=1"); err != nil {
		d.Broken("history server", yarn.Warn, err)
	}
}
