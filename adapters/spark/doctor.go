package spark

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"

	"github.com/paratimer/paratimer/adapters/rest"
	"github.com/paratimer/paratimer/adapters/yarn"
)

// checks are the results of Doctor.
type checks []yarn.Check

func (c *checks) add(name string, grade yarn.Grade, hint, format string, args ...any) {
	*c = append(*c, yarn.Check{Name: name, Status: grade, Text: fmt.Sprintf(format, args...), Hint: hint})
}

// failed adds a check whose request failed.
func (c *checks) failed(name string, grade yarn.Grade, err error) {
	hint := rest.Hint(err)
	c.add(name, grade, hint, "%s", strings.TrimSuffix(err.Error(), " ("+hint+")"))
}

// Doctor tests all requests that are needed to observe an application: those to the driver, and to the history
// server if there is one. Each check has a result and, if it fails, a hint.
func Doctor(ctx context.Context, driver Driver) []yarn.Check {
	var c checks
	s := NewSource(driver, "")
	a := s.app
	if body, err := driver.Get(ctx, root); err != nil {
		c.failed("spark driver", yarn.Fail, err)
		return c
	} else if !a.TakeApplication(body) {
		c.add("spark driver", yarn.Fail, "give the address of the driver's web page, such as http://driver:4040",
			"the answer to %s lists no application", root)
		return c
	}
	c.add("spark driver", yarn.OK, "", "%s (%s) of user %s, Spark %s", a.id, a.name, a.user, a.version)
	if _, err := s.get(ctx, driver.Get, s.path("jobs")); err != nil {
		c.failed("spark jobs", yarn.Fail, err)
		return c
	}
	c.add("spark jobs", yarn.OK, "", "%d are listed", len(a.jobs))
	drawn := true // nothing shows the contrary
	if last := a.lastJob(); last < 0 {
		c.add("spark job page", yarn.OK, "", "not tried: there is no job yet")
	} else if page, err := driver.Get(ctx, fmt.Sprint("/jobs/job/?id=", last)); err != nil {
		drawn = false
		c.failed("spark job page", yarn.Warn, err)
	} else if drawn = bytes.Contains(page, []byte("stage-metadata")); !drawn {
		c.add("spark job page", yarn.Warn, "", "it has no graph of stages")
	} else {
		c.add("spark job page", yarn.OK, "", "it tells which stage reads which")
	}
	c.checkHistory(ctx, s, drawn)
	switch _, err := s.get(ctx, driver.Get, s.path("environment")); {
	case err != nil:
		c.failed("spark event log", yarn.Warn, err)
	case !a.conf.on("spark.eventLog.enabled"):
		c.add("spark event log", yarn.Warn,
			"set spark.eventLog.enabled=true, or record with attach --record FILE --raw",
			"the application writes none, so no history server has its end, and nothing can be learned from it later")
	default:
		c.add("spark event log", yarn.OK, "", "the application writes one")
	}
	return c
}

// checkHistory checks the history server. drawn means that a page of the driver shows which stage reads which.
func (c *checks) checkHistory(ctx context.Context, s *Source, drawn bool) {
	const name = "spark history server"
	id := s.app.id
	body, err := s.driver.History(ctx, root+"/"+id)
	switch {
	case errors.Is(err, errNoHistory):
		c.add(name, yarn.Warn, "give --spark-history URL",
			"none is named: runs will not be confirmed, their end is inferred from the jobs that were seen")
		return
	case err != nil && statusOf(err) != http.StatusNotFound:
		c.failed(name, yarn.Warn, fmt.Errorf("runs will not be confirmed: %w", err))
		return
	case err != nil || !NewApp(id).TakeApplication(body):
		c.add(name, yarn.Warn, "", "it does not have %s", id)
		return
	case drawn:
		c.add(name, yarn.OK, "", "it has %s", id)
		return
	}
	if _, err = s.get(ctx, s.driver.History, s.path("logs")); err != nil {
		c.add(name, yarn.Warn, "", "it has %s, but not its event log: which stage reads which is a guess", id)
		return
	}
	c.add(name, yarn.OK, "", "it has %s, and its event log tells which stage reads which", id)
}
