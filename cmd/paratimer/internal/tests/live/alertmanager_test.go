package live

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"testing"
	"time"
)

// A realAlertmanager is a process on a free port, in a temporary folder, and a receiver that records its notifications.
type realAlertmanager struct {
	URL  string
	args []string
	bin  string
	cmd  *exec.Cmd
	log  *bytes.Buffer

	mu       sync.Mutex
	received []alertMessage
}

// An alertMessage is the receiver's notification of one alert.
type alertMessage struct {
	Status      string            `json:"status"`
	Labels      map[string]string `json:"labels"`
	Annotations map[string]string `json:"annotations"`
}

// config sends each alert after 100 ms, and changes every 500 ms.
const alertmanagerConfig = `
route:
  receiver: test
  group_by: [alertname, workflow_id, bound]
  group_wait: 100ms
  group_interval: 500ms
  repeat_interval: 24h
receivers:
- name: test
  webhook_configs:
  - url: %s
    send_resolved: true
`

// startAlertmanager starts an Alertmanager, or skips the test if none is installed.
func startAlertmanager(t *testing.T) *realAlertmanager {
	t.Helper()
	a := &realAlertmanager{}
	for _, name := range []string{"prometheus-alertmanager", "alertmanager"} {
		if path, err := exec.LookPath(name); err == nil {
			a.bin = path
		}
	}
	if a.bin == "" {
		t.Skip("SKIPPED: no prometheus-alertmanager on this machine; apt-get install prometheus-alertmanager")
	}
	receiver := httptest.NewServer(http.HandlerFunc(a.receive))
	t.Cleanup(receiver.Close)
	dir := t.TempDir()
	path := filepath.Join(dir, "config.yml")
	if err := os.WriteFile(path, fmt.Appendf(nil, alertmanagerConfig, receiver.URL), 0o600); err != nil {
		t.Fatal(err)
	}
	addr := freeAddress(t)
	a.URL = "http://" + addr
	a.args = []string{
		"--config.file=" + path, "--storage.path=" + filepath.Join(dir, "data"), "--web.listen-address=" + addr,
		"--cluster.listen-address=",
	}
	a.Up(t)
	t.Cleanup(func() { a.Down(t) })
	return a
}

// freeAddress returns a free address of this machine.
func freeAddress(t *testing.T) string {
	t.Helper()
	l, err := new(net.ListenConfig).Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	addr := l.Addr().String()
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	return addr
}

// Up starts Alertmanager, or restarts it, and waits until it is ready.
func (a *realAlertmanager) Up(t *testing.T) {
	t.Helper()
	a.log = &bytes.Buffer{}
	a.cmd = exec.CommandContext(context.Background(), a.bin, a.args...)
	a.cmd.Stdout, a.cmd.Stderr = a.log, a.log
	if err := a.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	eventually(t, "Alertmanager is ready", func() bool {
		resp, err := get(t, a.URL+"/-/ready")
		if err != nil {
			return false
		}
		resp.Body.Close()
		return resp.StatusCode == http.StatusOK
	})
}

// Down kills Alertmanager. Its state in memory is lost, as after a crash.
func (a *realAlertmanager) Down(t *testing.T) {
	t.Helper()
	if a.cmd == nil {
		return
	}
	_ = a.cmd.Process.Kill()
	_ = a.cmd.Wait() // the error only reports the kill
	a.cmd = nil
	if t.Failed() {
		t.Logf("Alertmanager's output:\n%s", a.log)
	}
}

func (a *realAlertmanager) receive(w http.ResponseWriter, r *http.Request) {
	var body struct{ Alerts []alertMessage }
	if err := json.NewDecoder(r.Body).Decode(&body); err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	a.mu.Lock()
	a.received = append(a.received, body.Alerts...)
	a.mu.Unlock()
}

// Received returns the messages to the receiver, in order.
func (a *realAlertmanager) Received() []alertMessage {
	a.mu.Lock()
	defer a.mu.Unlock()
	return append([]alertMessage(nil), a.received...)
}

// An activeAlert is an alert that is active in Alertmanager.
type activeAlert struct {
	Labels      map[string]string `json:"labels"`
	Annotations map[string]string `json:"annotations"`
	StartsAt    time.Time         `json:"startsAt"`
	EndsAt      time.Time         `json:"endsAt"`
}

// Active returns the alerts that are firing.
func (a *realAlertmanager) Active(t *testing.T) []activeAlert {
	t.Helper()
	resp, err := get(t, a.URL+"/api/v2/alerts")
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	var all []activeAlert
	if err := json.NewDecoder(resp.Body).Decode(&all); err != nil {
		t.Fatal(err)
	}
	return all
}

func get(t *testing.T, url string) (*http.Response, error) {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, url, nil)
	if err != nil {
		t.Fatal(err)
	}
	return http.DefaultClient.Do(req)
}

// eventuallyTimeout is the timeout of eventually: much longer than needed, because machines may be loaded.
const eventuallyTimeout = time.Minute

// eventually waits until so returns true. It uses real time, because it waits for other processes.
func eventually(t *testing.T, what string, so func() bool) {
	t.Helper()
	end := time.Now().Add(eventuallyTimeout)
	for !so() {
		if time.Now().After(end) {
			t.Fatalf("not within %v: %s", eventuallyTimeout, what)
		}
		time.Sleep(20 * time.Millisecond)
	}
}
