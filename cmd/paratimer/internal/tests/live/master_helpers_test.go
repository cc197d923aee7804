package live

import (
	"bytes"
	"fmt"
	"html"
	"io"
	"net/http"
	"net/http/httptest"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/paratimer/paratimer/adapters/recording"
	"github.com/paratimer/paratimer/dag"
	"github.com/paratimer/paratimer/internal/testkit/fixtures"
)

var sparkApp = regexp.MustCompile(`/api/v1/applications/([\w-]+)/`)

// ServeMaster serves the page of a master of Spark's standalone mode, in the shape of version 3.5.6. Each of its n
// applications, app-0 to app-(n-1) with the names nightly_0 and so on, has a driver that plays the recording of a run
// from its second from on, as fast as the run was.
func ServeMaster(t testing.TB, file string, n int, from time.Duration) (url string) {
	t.Helper()
	rec, err := recording.ReadAnswers(bytes.NewReader(fixtures.Read(t, file)))
	if err != nil {
		t.Fatal(err)
	}
	app := ""
	for _, a := range rec.All() {
		if m := sparkApp.FindStringSubmatch(a.URL.Path); m != nil {
			app = m[1]
			break
		}
	}
	began, player := time.Now(), recording.NewPlayer(rec)
	now := func() dag.Instant { return rec.First.Add(from + time.Since(began)) }
	return ServeDrivers(t, time.Now, n, func(id string) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			r.URL.Path = strings.ReplaceAll(r.URL.Path, "/"+id+"/", "/"+app+"/")
			player.Seek(now())
			resp, err := player.RoundTrip(r)
			if err != nil {
				http.Error(w, err.Error(), http.StatusServiceUnavailable)
				return
			}
			defer resp.Body.Close()
			body, _ := io.ReadAll(resp.Body) // it is in memory
			w.Header().Set("Content-Type", resp.Header.Get("Content-Type"))
			w.WriteHeader(resp.StatusCode)
			fmt.Fprint(w, strings.ReplaceAll(string(body), app, id))
		})
	})
}

// ServeDrivers serves the page of a master with the drivers of n applications, app-0 to app-(n-1). now is its clock.
func ServeDrivers(t testing.TB, now func() time.Time, n int, driverOf func(id string) http.Handler) (url string) {
	t.Helper()
	began := now().UnixMilli()
	var apps, rows []string
	for i := range n {
		id := fmt.Sprint("app-", i)
		driver := httptest.NewServer(driverOf(id))
		t.Cleanup(driver.Close)
		name := fmt.Sprint("nightly_", i)
		apps = append(apps, fmt.Sprintf(`{"id": %q, "name": %q, "user": "ann", "state": "RUNNING", "starttime": %d}`,
			id, name, began+int64(i)))
		rows = append(rows, fmt.Sprintf("<tr><td>\n<a href=\"app/?appId=%s\">%s</a> (kill)</td>\n<td>\n<a href=%q>%s</a></td></tr>",
			id, id, driver.URL, html.EscapeString(name)))
	}
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Date", now().UTC().Format(http.TimeFormat))
		if r.URL.Path == "/json/" {
			w.Header().Set("Content-Type", "text/json;charset=utf-8")
			fmt.Fprintf(w, `{"activeapps": [%s], "completedapps": [], "activedrivers": [], "status": "ALIVE"}`,
				strings.Join(apps, ", "))
			return
		}
		w.Header().Set("Content-Type", "text/html;charset=utf-8")
		fmt.Fprintf(w, "<html><head><title>Spark Master at spark://m:7077</title></head><table>%s</table></html>",
			strings.Join(rows, "\n"))
	}))
	t.Cleanup(s.Close)
	return s.URL
}
