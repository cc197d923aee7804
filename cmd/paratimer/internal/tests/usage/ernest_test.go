package usage

import (
	"encoding/json"
	"fmt"
	"math"
	"os"
	"strings"
	"testing"

	"github.com/paratimer/paratimer/cmd/paratimer/internal/program"
	"github.com/paratimer/paratimer/cmd/paratimer/internal/tests/session"
	"github.com/paratimer/paratimer/internal/testkit/fixtures"
)

// goldenFile decodes one of their JSON files.
func goldenFile(t *testing.T, name string, into any) {
	t.Helper()
	b, err := os.ReadFile(fixtures.Golden("numerics/" + name))
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(b, into); err != nil {
		t.Fatal(err)
	}
}

// ernestOutput is the contract of fit, and what predict has in common with it.
type ernestOutput struct {
	Coefficients []float64 `json:"coefficients"`
	Terms        []string  `json:"terms"`
	Residual     *float64  `json:"residual"`
	LOOMeanRatio *float64  `json:"loo_mean_ratio"`
	Predictions  []struct {
		Machines    float64  `json:"machines"`
		Scale       float64  `json:"scale"`
		Seconds     *float64 `json:"seconds"`
		LowSeconds  *float64 `json:"low_seconds"`
		HighSeconds *float64 `json:"high_seconds"`
	} `json:"predictions"`
	Retrain *struct {
		Retrain bool `json:"retrain"`
		Outside int  `json:"outside"`
	} `json:"retrain"`
	Warnings []struct {
		Code string `json:"code"`
		Text string `json:"text"`
	} `json:"warnings"`
}

func ernestJSON(t *testing.T, args ...string) (out ernestOutput) {
	t.Helper()
	session.Setenv(t, "XDG_CONFIG_HOME", t.TempDir())
	code, stdout, stderr := session.Run(t, append(append([]string{"ernest"}, args...), "--output", "json")...)
	if code != program.ExitOK || stderr != "" {
		t.Fatalf("%v: exit code %d\n%s", args, code, stderr)
	}
	if err := json.Unmarshal([]byte(stdout), &out); err != nil {
		t.Fatalf("%v: %v\n%s", args, err, stdout)
	}
	return out
}

// closeTo reports whether two numbers agree to a relative tolerance, or to an absolute one near zero.
func closeTo(got, want, relative, absolute float64) bool {
	return math.Abs(got-want) <= math.Max(relative*math.Abs(want), absolute)
}

// TestErnestGoldenFit: the tables of facts/ernest.md a.2, from their files through the command. Coefficients that
// are not unique are not compared; the cases list them.
func TestErnestGoldenFit(t *testing.T) {
	t.Parallel()
	cases := map[string]struct {
		Note     string    `json:"note"`
		Rows     [][]any   `json:"rows"`
		Coef     []float64 `json:"coef"`
		Residual float64   `json:"residual_norm"`
		Predict  []struct{ Scale, Machines, T float64 }
	}{}
	goldenFile(t, "nnls.json", &cases)
	compared := 0
	for name, c := range cases {
		args := []string{
			"fit", fixtures.Golden("numerics/nnls_" + name + ".csv"), "--machines", "machines", "--scale",
			"scale", "--seconds", "time", "--force",
		}
		for _, p := range c.Predict {
			args = append(args, "--at", fmt.Sprintf("%v,%v", p.Machines, p.Scale))
		}
		got := ernestJSON(t, args...)
		if strings.Join(got.Terms, " ") != "1 scale/machines machines log(machines)" {
			t.Errorf("%s: terms %v", name, got.Terms)
		}
		if !strings.Contains(c.Note, "NOT unique") {
			for i := range c.Coef {
				compared++
				if !closeTo(got.Coefficients[i], c.Coef[i], 1e-8, 1e-12) {
					t.Errorf("%s: %s is %v, want %v", name, got.Terms[i], got.Coefficients[i], c.Coef[i])
				}
			}
		}
		norm := 0.0
		for _, r := range c.Rows {
			v, _ := r[len(r)-1].(float64)
			norm = math.Hypot(norm, v)
		}
		compared++
		if !closeTo(*got.Residual, c.Residual, 1e-9, 1e-9*norm) {
			t.Errorf("%s: residual %v, want %v", name, *got.Residual, c.Residual)
		}
		for i, p := range c.Predict {
			compared++
			if q := got.Predictions[i]; q.Seconds == nil || !closeTo(*q.Seconds, p.T, 1e-10, 1e-10) ||
				q.Machines != p.Machines || q.Scale != p.Scale {
				t.Errorf("%s: %v machines, scale %v: %+v, want %v", name, p.Machines, p.Scale, q, p.T)
			}
		}
	}
	t.Logf("%d figures compared", compared)
	if compared < 8 {
		t.Error("nothing is guarded")
	}
}

// TestErnestPublished: the predictions that the authors' program printed for their own example, to all digits.
func TestErnestPublished(t *testing.T) {
	t.Parallel()
	table := fixtures.Golden("numerics/nnls_1_rcv1_ernest.csv")
	published := []float64{
		44.6515640166, 25.4777295249, 19.36348049, 16.4412832993, 14.7682298198, 13.7061636865,
		12.9855393036,
	}
	args := []string{"fit", table, "--machines", "machines", "--scale", "scale", "--seconds", "time"}
	for i := range published {
		args = append(args, "--at", fmt.Sprintf("%d,1", 4*(i+1)))
	}
	got := ernestJSON(t, args...)
	for i, want := range published {
		if p := got.Predictions[i]; p.Seconds == nil || math.Abs(*p.Seconds-want) > 5.1e-11 ||
			*p.LowSeconds > *p.Seconds || *p.HighSeconds < *p.Seconds {
			t.Errorf("%d cores: %+v, want %v", 4*(i+1), p, want)
		}
	}
	t.Logf("%d figures compared", len(published))
}

// TestErnestGoldenDesign: the designs of facts/ernest.md a.3 through the command, with the flags of the authors'
// program.
func TestErnestGoldenDesign(t *testing.T) {
	t.Parallel()
	cases := map[string]struct {
		Args    map[string]float64 `json:"args"`
		Obj     float64            `json:"obj"`
		Cost    float64            `json:"cost"`
		N       int                `json:"n"`
		Support []struct {
			Scale    float64 `json:"scale"`
			Machines float64 `json:"machines"`
			Lam      float64 `json:"lam"`
		} `json:"support"`
	}{}
	goldenFile(t, "expt_design.json", &cases)
	compared := 0
	for name, c := range cases {
		args := []string{"ernest", "design", "--output", "json"}
		for flag, v := range c.Args {
			args = append(args, "--"+strings.ReplaceAll(flag, "_", "-"), fmt.Sprint(v))
		}
		session.Setenv(t, "XDG_CONFIG_HOME", t.TempDir())
		code, stdout, stderr := session.Run(t, args...)
		if code != program.ExitOK {
			t.Errorf("%s: exit code %d: %s", name, code, stderr)
			continue
		}
		var got struct {
			Objective, Gap, Cost float64
			Candidates           int
			Rows                 []struct{ Machines, Scale, Weight float64 }
		}
		if err := json.Unmarshal([]byte(stdout), &got); err != nil {
			t.Fatal(err)
		}
		compared += 3
		if !closeTo(got.Objective, c.Obj, 1e-6, 0) || got.Gap < 0 || got.Gap > 1e-6*c.Obj ||
			!closeTo(got.Cost, c.Cost, 1e-8, 0) || got.Candidates != c.N {
			t.Errorf("%s: objective %v, gap %v, cost %v, %d candidates; want %v, about 0, %v, %d", name, got.Objective,
				got.Gap, got.Cost, got.Candidates, c.Obj, c.Cost, c.N)
		}
		selected := 0
		for _, s := range c.Support {
			if s.Lam <= 0.3 {
				continue
			}
			selected++
			found := false
			for _, r := range got.Rows {
				found = found || r.Machines == s.Machines && closeTo(r.Scale, s.Scale, 1e-12, 0) &&
					closeTo(r.Weight, s.Lam, 0, 1e-5)
			}
			compared++
			if !found {
				t.Errorf("%s: no run on %v machines with scale %v and weight %v", name, s.Machines, s.Scale, s.Lam)
			}
		}
		if len(got.Rows) != selected {
			t.Errorf("%s: %d runs, want %d", name, len(got.Rows), selected)
		}
	}
	t.Logf("%d figures compared", compared)
	if compared < 8 {
		t.Error("nothing is guarded")
	}
}
