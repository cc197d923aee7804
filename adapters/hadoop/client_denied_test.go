package hadoop

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"testing"
)

type knownAs string

func (k knownAs) Name() string                          { return string(k) }
func (k knownAs) Check(context.Context) (string, error) { return "Kerberos, as " + string(k), nil }
func (k knownAs) Used() bool                            { return true }

// TestDeniedJobs: what Hadoop answers to those that a job's ACL shuts out, and what they are told. The 503 is what the master
// and the history server of a real Hadoop 3.4.2 with mapreduce.cluster.acls.enabled answer.
func TestDeniedJobs(t *testing.T) {
	const lost = `{"RemoteException":{"exception":"WebApplicationException","javaClassName":"javax.ws.rs.WebApplicationException"}}`
	const trouble = `{"RemoteException":{"exception":"WebApplicationException","message":"out of memory","javaClassName":"javax.ws.rs.WebApplicationException"}}`
	for name, c := range map[string]struct {
		status int
		body   string
		path   string
		want   int
		denied bool
	}{
		"503 that says nothing":   {http.StatusServiceUnavailable, lost, "jobs/job_1_0001/tasks", http.StatusForbidden, true},
		"503 that says something": {http.StatusServiceUnavailable, trouble, "jobs/job_1_0001/tasks", http.StatusServiceUnavailable, false},
		"503 of no job":           {http.StatusServiceUnavailable, lost, "info", http.StatusServiceUnavailable, false},
		"401":                     {http.StatusUnauthorized, "", "jobs/job_1_0001/conf", http.StatusUnauthorized, true},
		"403":                     {http.StatusForbidden, "", "jobs/job_1_0001", http.StatusForbidden, true},
		"500":                     {http.StatusInternalServerError, lost, "jobs/job_1_0001", http.StatusInternalServerError, false},
	} {
		t.Run(name, func(t *testing.T) {
			s := serve(t, func(w http.ResponseWriter, r *http.Request) {
				w.Header().Set("Content-Type", "application/json")
				w.WriteHeader(c.status)
				fmt.Fprint(w, c.body)
			})
			_, err := clientOf(t, Options{User: "root", Login: knownAs("bob/host@LAB")}, s.URL).AM(context.Background(), "application_1_0001", c.path)
			e, ok := errors.AsType[*Error](err)
			if !ok || e.Status != c.want {
				t.Fatalf("got %v", err)
			}
			named := strings.Contains(e.Hint, "bob/host@LAB may not see job_1_0001") && strings.Contains(e.Hint, "mapreduce.job.acl-view-job=bob,")
			if named != c.denied {
				t.Errorf("hint %q", e.Hint)
			}
			if c.denied && !strings.HasSuffix(brief(fmt.Errorf("asked: %w", err)), "("+e.Hint+")") {
				t.Errorf("a warning leaves out what to do: %s", brief(err))
			}
		})
	}
}
