package training_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/paratimer/paratimer/cmd/paratimer/internal/shell"
	"github.com/paratimer/paratimer/cmd/paratimer/internal/training"
	"github.com/paratimer/paratimer/estimators/ernest"
)

// design is rows of machines, scale and parts.
func design(rows ...[3]float64) []ernest.DesignRow {
	var out []ernest.DesignRow
	for _, r := range rows {
		out = append(out, ernest.DesignRow{Machines: int(r[0]), Scale: r[1], Parts: int(r[2]), Cores: 2 * int(r[0])})
	}
	return out
}

// three are rows with the cheapest last.
func three() []ernest.DesignRow {
	return design([3]float64{1, 0.25, 8}, [3]float64{2, 0.25, 8}, [3]float64{4, 0.125, 4})
}

// template is a command for rows.
func template(t *testing.T, text string, rows []ernest.DesignRow) training.Template {
	t.Helper()
	tmpl, err := training.NewTemplate(text, rows)
	if err != nil {
		t.Fatal(err)
	}
	return tmpl
}

// write replaces a file's content.
func write(path string, content func(io.Writer) error) error {
	var b bytes.Buffer
	if err := content(&b); err != nil {
		return err
	}
	return os.WriteFile(path, b.Bytes(), 0o600)
}

// open opens a file.
func open(t *testing.T, path string, command training.Template) *training.File {
	t.Helper()
	f, err := training.Open(path, command, write)
	if err != nil {
		t.Fatal(err)
	}
	return f
}

func read(t *testing.T, path string) string {
	t.Helper()
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

// A cluster stands for the one that commands run on: a run takes 10 s and 100 s of divided work, and fails where it is
// told to.
type cluster struct {
	ran  []string
	fail map[string]int // how often yet, by command
	at   func(n int)    // called with the number of the run
}

func (c *cluster) run(ctx context.Context, command string) shell.Outcome {
	c.ran = append(c.ran, command)
	if c.at != nil {
		c.at(len(c.ran))
	}
	if err := context.Cause(ctx); err != nil {
		return shell.Outcome{Took: time.Second, Code: -1, Err: err}
	}
	if c.fail[command] > 0 {
		c.fail[command]--
		return shell.Outcome{
			Took: 2 * time.Second, Code: 3, Err: errors.New("exit code 3"),
			Output: "first\nno such input",
		}
	}
	var machines int
	var fraction float64
	if _, err := fmt.Sscanf(command, "job %g %d", &fraction, &machines); err != nil {
		panic(err)
	}
	return shell.Outcome{Took: time.Duration((10 + 100*fraction/float64(machines)) * float64(time.Second))}
}

const job = "job {fraction} {machines}"

// A setup is a runner of three rows without a real cluster, and its output.
type setup struct {
	training.Runner
	cluster *cluster
	shown   *strings.Builder
	path    string
}

func newSetup(t *testing.T, rows []ernest.DesignRow) *setup {
	t.Helper()
	s := &setup{cluster: &cluster{fail: map[string]int{}}, shown: new(strings.Builder), path: filepath.Join(t.TempDir(),
		"rows.csv")}
	command := template(t, job, rows)
	s.Runner = training.Runner{
		Command: command, Design: rows, File: open(t, s.path, command), Repeat: 1,
		Run: s.cluster.run, Show: s.shown,
	}
	return s
}
