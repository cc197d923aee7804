package live

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/paratimer/paratimer/adapters/simulate"
	"github.com/paratimer/paratimer/cmd/paratimer/internal/program"
	"github.com/paratimer/paratimer/cmd/paratimer/internal/tests/session"
	"github.com/paratimer/paratimer/internal/testkit/restsim"
)

// A prometheus is a real one, in a folder of its own.
type prometheus struct {
	t   *testing.T
	url string
}

// startPrometheus scrapes addresses and evaluates our rules, four times a second.
func startPrometheus(t *testing.T, addresses ...string) prometheus {
	t.Helper()
	bin := Tool(t, "prometheus", "prometheus")
	dir := t.TempDir()
	rules, err := filepath.Abs("../../deploy/prometheus/paratimer.rules.yml")
	if err != nil {
		t.Fatal(err)
	}
	config, err := json.Marshal(map[string]any{ // which is YAML
		"global": map[string]any{
			"scrape_interval": "250ms", "scrape_timeout": "250ms",
			"evaluation_interval": "250ms",
		},
		"rule_files": []string{rules},
		"scrape_configs": []any{map[string]any{
			"job_name": "paratimer", "static_configs": []any{map[string]any{"targets": addresses}},
		}},
	})
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(dir, "prometheus.yml")
	if err := os.WriteFile(file, config, 0o600); err != nil {
		t.Fatal(err)
	}
	p := prometheus{t, "http://" + FreeAddress(t)}
	var output Output
	cmd := exec.Command(bin, "--config.file="+file, "--storage.tsdb.path="+filepath.Join(dir, "data"),
		"--web.listen-address="+strings.TrimPrefix(p.url, "http://"), "--log.level=warn")
	cmd.Stdout, cmd.Stderr = &output, &output
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
		if t.Failed() {
			t.Logf("output of Prometheus:\n%s", &output)
		}
	})
	Eventually(t, "prometheus is ready", func() error {
		resp, err := http.Get(p.url + "/-/ready")
		if err != nil {
			return err
		}
		defer resp.Body.Close()
		if resp.StatusCode != http.StatusOK {
			return fmt.Errorf("%s", resp.Status)
		}
		return nil
	})
	return p
}

// get requests a path of Prometheus' API and decodes the response into data.
func (p prometheus) get(path string, query url.Values, data any) error {
	resp, err := http.Get(p.url + "/api/v1/" + path + "?" + query.Encode())
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	answer := struct {
		Status, Error string
		Data          any
	}{Data: data}
	if err := json.NewDecoder(resp.Body).Decode(&answer); err != nil {
		return fmt.Errorf("%s: %w", resp.Status, err)
	}
	if answer.Status != "success" {
		return fmt.Errorf("%s", answer.Error)
	}
	return nil
}

// A vector is the result of an expression: series and their values.
type vector struct {
	Result []struct {
		Metric map[string]string
		Value  [2]any
		Values [][2]any
	}
}

func (p prometheus) query(expr string) (vector, error) {
	var v vector
	err := p.get("query", url.Values{"query": {expr}}, &v)
	return v, err
}

// during returns the values of an expression from an instant until now.
func (p prometheus) during(expr string, from time.Time) (vector, error) {
	var v vector
	stamp := func(t time.Time) string { return t.UTC().Format(time.RFC3339Nano) }
	err := p.get("query_range", url.Values{
		"query": {expr}, "start": {stamp(from)}, "end": {stamp(time.Now())},
		"step": {"250ms"},
	}, &v)
	return v, err
}

// is waits until an expression holds for n series.
func (p prometheus) is(expr string, n int) {
	p.t.Helper()
	Eventually(p.t, expr, func() error {
		v, err := p.query(expr)
		if err == nil && len(v.Result) != n {
			err = fmt.Errorf("%d series, want %d", len(v.Result), n)
		}
		return err
	})
}

// TestPrometheus has a real Prometheus scrape a run that is replayed and one that is attached to, and evaluates every
// query of the dashboard and every rule over what it has scraped.
func TestPrometheus(t *testing.T) {
	t.Parallel()
	Tool(t, "prometheus", "prometheus")
	session.Setenv(t, "XDG_CONFIG_HOME", t.TempDir())
	session.Setenv(t, "XDG_STATE_HOME", t.TempDir())
	tape := filepath.Join(t.TempDir(), "run.tape")
	if code, _, stderr := session.Run(t, "simulate", "../../examples/pig-join.yaml", "--seed", "3", "--noise", "0.02",
		"--every", "1s", "--record", tape); code != program.ExitOK {
		t.Fatalf("simulate: exit code %d\n%s", code, stderr)
	}
	url := restsim.HadoopServer(t, "../../examples/pig-join.yaml", simulate.Options{})
	began := time.Now()
	replayed, attached := FreeAddress(t), FreeAddress(t)
	p := startPrometheus(t, replayed, attached)
	// It looks at new targets some seconds after it is ready: a short run could be over before its first scrape.
	p.is(`up == 0`, 2)
	// It is 115 s long, and late from 60 s on, which is nearly three seconds at this speed.
	ServeAt(t, replayed, "replay", tape, "--speed", "20", "--within", "60s")
	ServeAt(t, attached, "attach", "--rm", url, "--jhs", url, "--user", "alice", "--every", "500ms", "--within", "1h",
		"--exec", "true")
	p.is(`up == 1`, 2)
	p.is(`paratimer_workflow_state{state="succeeded"} == 1`, 2)

	t.Run("dashboard", func(t *testing.T) {
		evaluated := 0
		for _, q := range dashboardQueries(t) {
			v, err := p.during(q.evaluable(), began)
			evaluated++
			if err != nil {
				t.Errorf("panel %q: %s: %v", q.panel, q.expr, err)
			} else if len(v.Result) == 0 {
				t.Errorf("panel %q: %s gives nothing", q.panel, q.expr)
			}
		}
		if evaluated < 30 {
			t.Errorf("only %d queries found in the dashboard: nothing is guarded", evaluated)
		}
	})
	t.Run("rules", func(t *testing.T) {
		var all struct {
			Groups []struct {
				Rules []struct{ Type, Name, Query, Health, LastError string }
			}
		}
		Eventually(t, "every rule is evaluated", func() error {
			if err := p.get("rules", nil, &all); err != nil {
				return err
			}
			n := 0
			for _, g := range all.Groups {
				for _, r := range g.Rules {
					n++
					if r.Health != "ok" {
						return fmt.Errorf("%s: %s: %s", r.Name, r.Health, r.LastError)
					}
				}
			}
			if n < 16 {
				return fmt.Errorf("only %d rules found", n)
			}
			return nil
		})
		for _, g := range all.Groups {
			for _, r := range g.Rules {
				if r.Type != "recording" {
					continue
				}
				if v, err := p.during(r.Name, began); err != nil || len(v.Result) == 0 {
					t.Errorf("rule %s records nothing (%v)", r.Name, err)
				}
			}
		}
	})
	t.Run("alerts", func(t *testing.T) {
		for expr, n := range map[string]int{
			`ALERTS{alertname="ParaTimerLate",alertstate="firing",workflow="join.pig",bound="within",severity="critical"}`: 1,
			`ALERTS{alertname="ParaTimerDown",alertstate="firing"}`:                                                        0,
			`ALERTS{alertname="ParaTimerBlind",alertstate="firing"}`:                                                       0,
			`ALERTS{alertname="ParaTimerStuck",alertstate="firing"}`:                                                       0,
		} {
			if v, err := p.during(expr, began); err != nil || len(v.Result) != n {
				t.Errorf("%s: %d series, want %d (%v)", expr, len(v.Result), n, err)
			}
		}
	})
}

// A boardQuery is a query of the dashboard.
type boardQuery struct{ panel, expr string }

// evaluable fills in what Grafana would.
func (q boardQuery) evaluable() string {
	return strings.NewReplacer("$__rate_interval", "5s", "$workflow", ".*").Replace(q.expr)
}

// dashboardQueries are all expressions of the dashboard, those of annotations included.
func dashboardQueries(t *testing.T) []boardQuery {
	t.Helper()
	b, err := os.ReadFile("../../deploy/grafana/paratimer.json")
	if err != nil {
		t.Fatal(err)
	}
	var board struct {
		Panels []struct {
			Title   string
			Targets []struct{ Expr string }
		}
		Annotations struct{ List []struct{ Name, Expr string } }
	}
	if err := json.Unmarshal(b, &board); err != nil {
		t.Fatal(err)
	}
	var out []boardQuery
	for _, p := range board.Panels {
		for _, q := range p.Targets {
			out = append(out, boardQuery{p.Title, q.Expr})
		}
	}
	for _, a := range board.Annotations.List {
		if a.Expr != "" {
			out = append(out, boardQuery{"annotation " + a.Name, a.Expr})
		}
	}
	if n := bytes.Count(b, []byte(`"expr":`)); n != len(out) {
		t.Errorf("%d expressions in the dashboard, %d found in panels and annotations", n, len(out))
	}
	return out
}

// TestPromtool has the real promtool check our rules, run their tests, and check what we serve.
func TestPromtool(t *testing.T) {
	t.Parallel()
	bin := Tool(t, "promtool", "prometheus")
	session.Setenv(t, "XDG_CONFIG_HOME", t.TempDir())
	promtool := func(t *testing.T, dir, in string, args ...string) {
		t.Helper()
		cmd := exec.Command(bin, args...)
		cmd.Dir, cmd.Stdin = dir, strings.NewReader(in)
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Errorf("promtool %s: %v\n%s", strings.Join(args, " "), err, out)
		}
	}
	t.Run("rules", func(t *testing.T) {
		promtool(t, "../../deploy/prometheus", "", "check", "rules", "paratimer.rules.yml")
		promtool(t, "../../deploy/prometheus", "", "test", "rules", "paratimer.rules.test.yml")
	})
	t.Run("metrics", func(t *testing.T) {
		url := restsim.HadoopServer(t, "../../examples/pig-join.yaml", simulate.Options{})
		s := ServeFor(t, "attach", "--rm", url, "--jhs", url, "--user", "alice", "--every", "100ms", "--within", "45m")
		var served string
		Eventually(t, "the run ends", func() (err error) {
			served, err = Fetch("http://" + s.Address + "/metrics")
			if err == nil && !strings.Contains(served, `paratimer_bound_missed{bound="within",workflow="join.pig"} 0`) {
				err = fmt.Errorf("it has not ended in\n%s", served)
			}
			return err
		})
		promtool(t, ".", served, "check", "metrics")
	})
	t.Run("text file", func(t *testing.T) {
		file := filepath.Join(t.TempDir(), "paratimer.prom")
		if code, _, stderr := session.Run(t, "simulate", "../../examples/pig-join.yaml", "--within", "1h",
			"--set", "metrics-textfile="+file); code != program.ExitOK {
			t.Fatalf("exit code %d\n%s", code, stderr)
		}
		b, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		promtool(t, ".", string(b), "check", "metrics")
	})
}
