package spark

import (
	"context"
	"errors"
	"fmt"
	"net/http"

	"github.com/paratimer/paratimer/adapters/rest"
	"github.com/paratimer/paratimer/adapters/yarn"
	"github.com/paratimer/paratimer/units"
)

// Doctor tests all requests that are needed to observe an application: those to the driver, and to the history
// server if there is one. Each check has a result and, if it fails, a hint.
func Doctor(ctx context.Context, driver Driver) []yarn.Check {
	s, d := NewSource(driver, ""), &yarn.Examination{}
	a := s.app
	took, err := s.get(ctx, driver.Get, root)
	if err == nil && !took {
		err = fmt.Errorf("the answer to %s lists no application: give the address of the driver's web page, such as "+
			"http://driver:4040", root)
	}
	if err != nil {
		d.Broken("spark driver", yarn.Fail, err)
		return d.Checks
	}
	d.Say("spark driver", yarn.OK, "", "%s (%s) of user %s, Spark %s", a.id, a.name, a.user, a.version)
	if _, err = s.get(ctx, driver.Get, s.path("jobs")); err != nil {
		d.Broken("spark jobs", yarn.Fail, err)
		return d.Checks
	}
	d.Say("spark jobs", yarn.OK, "", "%d are listed", len(a.jobs))
	drawn := a.lastJob() < 0 // nothing shows the contrary
	if !drawn {
		drawn, err = s.get(ctx, driver.Get, jobPage(a.lastJob()))
	}
	switch {
	case err != nil:
		d.Broken("spark job page", yarn.Warn, err)
	case !drawn:
		d.Say("spark job page", yarn.Warn, "", "it has no graph of stages")
	default:
		d.Say("spark job page", yarn.OK, "", "the pages of %s show the dependencies between stages",
			units.Count(len(a.jobs), "job"))
	}
	ended, err := s.get(ctx, driver.History, root+"/"+a.id)
	switch has := ended || a.historyIsOpen; {
	case errors.Is(err, errNoHistory):
		d.Say("spark history server", yarn.Warn, "give --spark-history URL",
			"none is named: runs will not be confirmed, their end is inferred from the jobs that were seen")
	case err != nil && rest.Status(err) != http.StatusNotFound:
		d.Broken("spark history server", yarn.Warn, err)
		d.Checks[len(d.Checks)-1].Text += ": runs will not be confirmed"
	case !has:
		d.Say("spark history server", yarn.Warn, "", "it does not have %s", a.id)
	case drawn:
		d.Say("spark history server", yarn.OK, "", "it has %s", a.id)
	default:
		if _, err = s.get(ctx, driver.History, s.path("logs")); err != nil {
			d.Say("spark history server", yarn.Warn, "",
				"it has %s, but not its event log: dependencies between stages are guessed", a.id)
			break
		}
		d.Say("spark history server", yarn.OK, "", "it has %s, and its event log shows the dependencies between stages", a.id)
	}
	switch _, err = s.get(ctx, driver.Get, s.path("environment")); {
	case err != nil:
		d.Broken("spark event log", yarn.Warn, err)
	case !a.conf.on("spark.eventLog.enabled"):
		d.Say("spark event log", yarn.Warn, "set spark.eventLog.enabled=true, or record with attach --record FILE --raw",
			"the application writes none, so no history server has its end, and nothing can be learned from it later")
	default:
		d.Say("spark event log", yarn.OK, "", "the application writes one")
	}
	return d.Checks
}
