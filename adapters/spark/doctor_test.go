package spark

import (
	"strings"
	"testing"

	"github.com/paratimer/paratimer/adapters/yarn"
)

// TestDoctor holds that Doctor says of each service whether it answers.
func TestDoctor(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		f    fake
		want string
	}{
		{fake{tasks: 8}, "spark driver ok, spark jobs ok, spark job page warn, spark history server warn, spark event log warn"},
		{fake{tasks: 8, over: true}, "spark driver ok, spark jobs ok, spark job page warn, spark history server warn, spark event log warn"},
		{fake{gone: true}, "spark driver fail"},
	} {
		c.f.now = 1795366700000
		var got []string
		for _, check := range Doctor(t.Context(), &c.f) {
			got = append(got, check.Name+" "+string(check.Status))
			if check.Text == "" || check.Status == yarn.Fail && !strings.Contains(check.Text, "refused") {
				t.Errorf("%+v", check)
			}
		}
		if s := strings.Join(got, ", "); s != c.want {
			t.Errorf("got %s\nwant %s", s, c.want)
		}
	}
}
