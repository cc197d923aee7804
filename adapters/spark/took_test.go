package spark

import (
	"net/http"
	"net/url"
	"strings"

	"github.com/paratimer/paratimer/dag"
)

// took applies a response about a part of an application that arrives at an instant, and returns what Take returns.
func took(a *App, at dag.Instant, part, body string) bool {
	if !strings.HasPrefix(part, "/") { // a page
		part = root + "/" + a.ID() + "/" + part
	}
	u, err := url.Parse(part)
	if err != nil {
		return false
	}
	return a.Take(&Answer{
		URL: u, At: at, Status: http.StatusOK, Type: "application/json", Body: func() string { return body },
	})
}
