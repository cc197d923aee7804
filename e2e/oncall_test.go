//go:build e2e

package e2e

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"
)

// A server is a program of the distribution beside the cluster; its url is "" where the program is missing.
type server struct {
	lab *lab
	url string

	mu       sync.Mutex
	received []message
}

// A message is a notification from Alertmanager to its receiver about one alert.
type message struct {
	Status string
	Labels map[string]string
}

// alertmanager starts a real one, with a receiver that stores the notifications.
func (l *lab) alertmanager() *server {
	l.t.Helper()
	s := &server{lab: l}
	receiver := httptest.NewServer(http.HandlerFunc(s.receive))
	l.t.Cleanup(receiver.Close)
	config := fmt.Sprintf(`{"route": {"receiver": "test", "group_by": ["alertname", "workflow_id", "bound"], "group_wait": "100ms",
		"group_interval": "500ms", "repeat_interval": "24h"},
		"receivers": [{"name": "test", "webhook_configs": [{"url": %q, "send_resolved": true}]}]}`, receiver.URL)
	s.up("prometheus-alertmanager", config, "--storage.path="+filepath.Join(l.dir, "alertmanager"),
		"--cluster.listen-address=")
	return s
}

// prometheus starts a real one, which scrapes an address each second.
func (l *lab) prometheus(address string) *server {
	l.t.Helper()
	s := &server{lab: l}
	s.up("prometheus", fmt.Sprintf(`{"global": {"scrape_interval": "1s", "scrape_timeout": "1s"},
		"scrape_configs": [{"job_name": "paratimer", "static_configs": [{"targets": [%q]}]}]}`, address), "--storage.tsdb.path="+filepath.Join(l.dir, "tsdb"))
	return s
}

// up starts a program and waits until it is ready; it logs it if there is none.
func (s *server) up(program, config string, more ...string) {
	l := s.lab
	l.t.Helper()
	bin, err := exec.LookPath(program)
	if err != nil {
		l.t.Logf("SKIPPED: no %s on the PATH (apt-get install %s), so nothing was tried against a real one", program,
			program)
		return
	}
	file := filepath.Join(l.dir, program+".yml")
	l.must(os.WriteFile(file, []byte(config), 0o600))
	address := l.free()
	args := append([]string{
		"--config.file=" + file, "--web.listen-address=" + address,
	}, more...)
	cmd := exec.CommandContext(l.ctx, bin, args...)
	p := l.start(program, cmd)
	l.t.Cleanup(func() { _ = cmd.Process.Kill() }) // before the clean-up of start waits for it
	s.url = "http://" + address
	l.await(program, func() bool {
		select {
		case <-p.done:
			l.t.Fatalf("%s has ended\n%s", program, tail(p.stderr))
		default:
		}
		return strings.Contains(strings.ToLower(scrape(s.url+"/-/ready")), "ready") ||
			strings.Contains(scrape(s.url+"/-/ready"), "OK")
	})
}

// free is an address of this machine that nothing listened on a moment ago.
func (l *lab) free() string {
	l.t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	l.must(err)
	l.must(listener.Close())
	return listener.Addr().String()
}

func (s *server) receive(w http.ResponseWriter, r *http.Request) {
	var body struct{ Alerts []message }
	if err := json.NewDecoder(r.Body).Decode(&body); err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	s.mu.Lock()
	s.received = append(s.received, body.Alerts...)
	s.mu.Unlock()
}

// notified counts the notifications about a workflow's bound with this status: firing, resolved. "" is any workflow.
func (s *server) notified(workflow, bound, status string) (n int) {
	for _, m := range s.all() {
		if (workflow == "" || m.Labels["workflow_id"] == workflow) && m.Labels["bound"] == bound && m.Status == status {
			n++
		}
	}
	return n
}

// all returns the notifications of the receiver, in order.
func (s *server) all() []message {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.received)
}

// active returns the ids of the workflows with a firing bound in Alertmanager, one for each alert.
func (s *server) active(bound string) (ids []string) {
	var all []struct{ Labels map[string]string }
	if !s.lab.get(s.url+"/api/v2/alerts", &all) {
		return nil
	}
	for _, a := range all {
		if a.Labels["bound"] == bound {
			ids = append(ids, a.Labels["workflow_id"])
		}
	}
	return ids
}

// series is how many series an expression gives in Prometheus.
func (s *server) series(expr string) int {
	var got struct {
		Data struct{ Result []json.RawMessage }
	}
	s.lab.get(s.url+"/api/v1/query?"+url.Values{"query": {expr}}.Encode(), &got)
	return len(got.Data.Result)
}

// families waits until Prometheus has scraped every metric that docs/alerts.md promises of a watcher of one query that
// collects no key groups.
func (s *server) families() {
	s.lab.t.Helper()
	page, err := os.ReadFile("../docs/alerts.md")
	s.lab.must(err)
	n, began := 0, time.Now()
	for line := range bytes.Lines(page) {
		name, ok := strings.CutPrefix(string(line), "| `paratimer_")
		if !ok || strings.HasPrefix(name, "collect_") || strings.HasPrefix(name, "holds_up_") {
			continue
		}
		name = "paratimer_" + name[:strings.IndexByte(name, '`')]
		if strings.Contains(string(line), "| histogram |") {
			name += "_bucket"
		}
		s.lab.await(name+" in Prometheus", func() bool { return s.series("last_over_time("+name+"[1h])") > 0 })
		n++
	}
	if n < 25 {
		s.lab.t.Errorf("docs/alerts.md names only %d metrics: nothing is guarded", n)
	}
	s.lab.t.Logf("Prometheus has series of all %d metrics, read in %.1f s", n, time.Since(began).Seconds())
}
