package versions

import (
	"os"
	"strings"
	"testing"
)

// TestPage holds that the table of docs/versions.md is what docs/e2e.md says.
func TestPage(t *testing.T) {
	t.Chdir("../..")
	page, err := os.ReadFile("docs/versions.md")
	if err != nil {
		t.Fatal(err)
	}
	runs, err := os.ReadFile("docs/e2e.md")
	if err != nil {
		t.Fatal(err)
	}
	want, err := with(string(page), table(string(runs)))
	if err != nil {
		t.Fatal(err)
	}
	if want != string(page) {
		t.Error("the table of docs/versions.md is not that of docs/e2e.md: run `make versions`")
	}
}

func TestTable(t *testing.T) {
	got := table(`
| scenario | total s | without profile | with profile | after | load | checked | |
|---|---:|---:|---:|---:|---:|---|---|
| join | 85.8 | 5.7 / 12.2 (86 %) | – |  | 11.71 | DAG | passed |
| Hadoop Streaming: a job | 1.0 | – | – |  | 1 | end | passed |
| Hadoop 2.10.2: the join | 61.0 | 4.7 / 9.1 (61 %) | 1.0 / 2.0 |  | 3.14 | DAG, end; ` + "`check`" + ` | passed |
| Hadoop 3.5.0: the join | 61.0 | at least | – |  | 3.14 | DAG | **failed** |
`)
	const want = `| 2.10.2 | the join | 4.7 / 9.1 (61 %) | 1.0 / 2.0 | DAG, end; ` + "`check`" + ` | passed |
| 3.5.0 | the join | at least | – | DAG | **failed** |
`
	if _, rows, _ := strings.Cut(got, "|---|---|---:|---:|---|---|\n"); rows != want {
		t.Errorf("got\n%s\nwant\n%s", rows, want)
	}
	if _, err := with("no place", ""); err == nil {
		t.Error("a page without a place for the table is written")
	}
}
