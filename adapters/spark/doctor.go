package spark

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"

	"github.com/paratimer/paratimer/adapters/rest"
	"github.com/paratimer/paratimer/adapters/yarn"
)

// Doctor tests all requests that are needed to observe an application: those to the driver, and to the history
// server if there is one. Each check has a result and, if it fails, a hint.
func Doctor(ctx context.Context, driver Driver) (checks []yarn.Check) {
	s := NewSource(driver, "")
	a := s.app
	add := func(name string, grade yarn.Grade, hint, format string, args ...any) {
		checks = append(checks, yarn.Check{Name: name, Status: grade, Text: fmt.Sprintf(format, args...), Hint: hint})
	}
	failed := func(name string, grade yarn.Grade, err error) bool {
		if err != nil {
			hint := rest.Hint(err)
			add(name, grade, hint, "%s", strings.TrimSuffix(err.Error(), " ("+hint+")"))
		}
		return err != nil
	}
	took, err := s.get(ctx, driver.Get, root)
	switch {
	case failed("spark driver", yarn.Fail, err):
		return checks
	case !took:
		add("spark driver", yarn.Fail, "give the address of the driver's web page, such as http://driver:4040",
			"the answer to %s lists no application", root)
		return checks
	}
	add("spark driver", yarn.OK, "", "%s (%s) of user %s, Spark %s", a.id, a.name, a.user, a.version)
	if _, err = s.get(ctx, driver.Get, s.path("jobs")); failed("spark jobs", yarn.Fail, err) {
		return checks
	}
	add("spark jobs", yarn.OK, "", "%d are listed", len(a.jobs))
	drawn := true // nothing shows the contrary
	if last := a.lastJob(); last < 0 {
		add("spark job page", yarn.OK, "", "not tried: there is no job yet")
	} else if drawn, err = s.get(ctx, driver.Get, jobPage(last)); drawn {
		add("spark job page", yarn.OK, "", "it tells which stage reads which")
	} else if !failed("spark job page", yarn.Warn, err) {
		add("spark job page", yarn.Warn, "", "it has no graph of stages")
	}
	ended, err := s.get(ctx, driver.History, root+"/"+a.id)
	switch has := ended || a.historyIsOpen; {
	case errors.Is(err, errNoHistory):
		add("spark history server", yarn.Warn, "give --spark-history URL",
			"none is named: runs will not be confirmed, their end is inferred from the jobs that were seen")
	case err != nil && statusOf(err) != http.StatusNotFound:
		failed("spark history server", yarn.Warn, fmt.Errorf("runs will not be confirmed: %w", err))
	case !has:
		add("spark history server", yarn.Warn, "", "it does not have %s", a.id)
	case drawn:
		add("spark history server", yarn.OK, "", "it has %s", a.id)
	default:
		if _, err = s.get(ctx, driver.History, s.path("logs")); err != nil {
			add("spark history server", yarn.Warn, "",
				"it has %s, but not its event log: which stage reads which is a guess", a.id)
			break
		}
		add("spark history server", yarn.OK, "", "it has %s, and its event log tells which stage reads which", a.id)
	}
	if _, err = s.get(ctx, driver.Get, s.path("environment")); failed("spark event log", yarn.Warn, err) {
		return checks
	}
	if !a.conf.on("spark.eventLog.enabled") {
		add("spark event log", yarn.Warn, "set spark.eventLog.enabled=true, or record with attach --record FILE --raw",
			"the application writes none, so no history server has its end, and nothing can be learned from it later")
		return checks
	}
	add("spark event log", yarn.OK, "", "the application writes one")
	return checks
}
