package spark

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"strings"

	"github.com/paratimer/paratimer/adapters/rest"
	"github.com/paratimer/paratimer/adapters/yarn"
)

// Doctor tests all requests that are needed to observe an application: those to the driver, and to the history
// server if there is one. Each check has a result and, if it fails, a hint.
func Doctor(ctx context.Context, driver Driver) []yarn.Check {
	var out []yarn.Check
	say := func(name string, grade yarn.Grade, hint, format string, args ...any) {
		out = append(out, yarn.Check{Name: name, Status: grade, Text: fmt.Sprintf(format, args...), Hint: hint})
	}
	broken := func(name string, grade yarn.Grade, err error) {
		hint := ""
		text := err.Error()
		if e, ok := errors.AsType[*rest.Error](err); ok && e.Hint != "" {
			hint, text = e.Hint, strings.TrimSuffix(text, " ("+e.Hint+")")
		}
		say(name, grade, hint, "%s", text)
	}
	s := NewSource(driver, "")
	body, err := driver.Get(ctx, root)
	switch {
	case err != nil:
		broken("spark driver", yarn.Fail, err)
		return out
	case !s.app.TakeApplication(body):
		say("spark driver", yarn.Fail, "give the address of the driver's web page, such as http://driver:4040",
			"the answer to %s lists no application", root)
		return out
	}
	a := s.app
	say("spark driver", yarn.OK, "", "%s (%s) of user %s, Spark %s", a.id, a.name, a.user, a.version)
	if _, err = s.get(ctx, driver.Get, s.path("jobs")); err != nil {
		broken("spark jobs", yarn.Fail, err)
		return out
	}
	say("spark jobs", yarn.OK, "", "%d are listed", len(a.jobs))
	drawn := true // nothing shows the contrary
	if ids := a.jobIDs; len(ids) == 0 {
		say("spark job page", yarn.OK, "", "not tried: there is no job yet")
	} else if page, err := driver.Get(ctx, "/jobs/job/?id="+strconv.Itoa(ids[len(ids)-1])); err != nil {
		drawn = false
		broken("spark job page", yarn.Warn, err)
	} else if drawn = bytes.Contains(page, []byte("stage-metadata")); !drawn {
		say("spark job page", yarn.Warn, "", "it has no graph of stages")
	} else {
		say("spark job page", yarn.OK, "", "it tells which stage reads which")
	}
	body, err = driver.History(ctx, root+"/"+a.id)
	switch {
	case errors.Is(err, errNoHistory):
		say("spark history server", yarn.Warn, "give --spark-history URL",
			"none is named: runs will not be confirmed, their end is inferred from the jobs that were seen")
	case err != nil && statusOf(err) != http.StatusNotFound:
		broken("spark history server", yarn.Warn, fmt.Errorf("runs will not be confirmed: %w", err))
	case err != nil || !NewApp(a.id).TakeApplication(body):
		say("spark history server", yarn.Warn, "", "it does not have %s", a.id)
	case drawn:
		say("spark history server", yarn.OK, "", "it has %s", a.id)
	default:
		if _, err := s.get(ctx, driver.History, s.path("logs")); err != nil {
			say("spark history server", yarn.Warn, "", "it has %s, but not its event log: which stage reads which is a guess", a.id)
		} else {
			say("spark history server", yarn.OK, "", "it has %s, and its event log tells which stage reads which", a.id)
		}
	}
	_, err = s.get(ctx, driver.Get, s.path("environment"))
	switch {
	case err != nil:
		broken("spark event log", yarn.Warn, err)
	case !a.conf.on("spark.eventLog.enabled"):
		say("spark event log", yarn.Warn, "set spark.eventLog.enabled=true, or record with attach --capture",
			"the application writes none, so no history server has its end, and nothing can be learned from it later")
	default:
		say("spark event log", yarn.OK, "", "the application writes one")
	}
	return out
}
