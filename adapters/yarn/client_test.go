package yarn

import (
	"testing"

	"github.com/paratimer/paratimer/adapters/rest"
)

func TestLimitsByPath(t *testing.T) {
	t.Parallel()
	for path, want := range map[string]int64{
		"apps": rest.Long, "apps/application_1_0001": rest.Short, "nodes": rest.Long, "metrics": rest.Short,
		"scheduler": rest.Middle,
	} {
		if got := limit(path + "?a=b"); got != want {
			t.Errorf("%s: %d, want %d", path, got, want)
		}
	}
}
