package training_test

import (
	"context"
	"errors"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/paratimer/paratimer/cmd/paratimer/internal/shell"
)

const head = "# paratimer ernest run: \"job {fraction} {machines}\"\nmachines,scale,seconds\n"

func TestCheapestFirst(t *testing.T) {
	s := newSetup(t, three())
	failed, err := s.Go(t.Context())
	if err != nil || failed > 0 {
		t.Fatal(failed, err)
	}
	if want := []string{"job 0.125 4", "job 0.25 2", "job 0.25 1"}; !slices.Equal(s.cluster.ran, want) {
		t.Errorf("ran %q, want %q", s.cluster.ran, want)
	}
	if got, want := read(t, s.path), head+"4,0.125,13.125\n2,0.25,22.5\n1,0.25,35\n"; got != want {
		t.Errorf("the file is\n%s\nwant\n%s", got, want)
	}
	lines := strings.Split(strings.TrimSpace(s.shown.String()), "\n")
	if len(lines) != 3 || !strings.HasPrefix(lines[0], "1/3  machines 4, scale 0.125: 13.1s; ") ||
		!strings.HasSuffix(lines[0], "; 2 runs left") ||
		lines[2] != "3/3  machines 1, scale 0.25: 35s; that was all" {
		t.Errorf("got the output\n%s", s.shown)
	}
}

func TestRepeatGoesOn(t *testing.T) {
	s := newSetup(t, three())
	s.Repeat = 2
	ctx, cancel := context.WithCancelCause(t.Context())
	interrupted := errors.New("interrupted")
	s.cluster.at = func(n int) {
		if n == 5 {
			cancel(interrupted)
		}
	}
	if _, err := s.Go(ctx); !errors.Is(err, interrupted) {
		t.Fatalf("got %v", err)
	}
	if got := strings.Count(read(t, s.path), "\n"); got != 2+4 {
		t.Errorf("%d lines after four runs", got)
	}
	s.cluster.at = nil
	todo := s.Todo()
	if len(todo) != 2 || todo[0].Number != 5 || todo[0].Of != 6 || todo[0].Row.Machines != 2 {
		t.Fatalf("left to do: %+v", todo)
	}
	s.cluster.ran = nil
	if _, err := s.Go(t.Context()); err != nil {
		t.Fatal(err)
	}
	if want := []string{"job 0.25 2", "job 0.25 1"}; !slices.Equal(s.cluster.ran, want) {
		t.Errorf("went on with %q, want %q", s.cluster.ran, want)
	}
}

func TestFailures(t *testing.T) {
	s := newSetup(t, three())
	s.cluster.fail["job 0.25 2"] = 1
	failed, err := s.Go(t.Context())
	if err != nil || failed != 1 {
		t.Fatalf("failed %d, %v", failed, err)
	}
	if want := []string{"job 0.125 4", "job 0.25 2", "job 0.25 1"}; !slices.Equal(s.cluster.ran, want) {
		t.Errorf("ran %q, want %q", s.cluster.ran, want)
	}
	if got, want := read(t, s.path), head+"4,0.125,13.125\n1,0.25,35\n"; got != want {
		t.Errorf("the file is\n%s\nwant\n%s", got, want)
	}
	for _, want := range []string{
		"2/3  machines 2, scale 0.25: failed, exit code 3, after 2s: no such input; 1 run left",
	} {
		if !strings.Contains(s.shown.String(), want) {
			t.Errorf("want %q in\n%s", want, s.shown)
		}
	}
}

func TestHopeless(t *testing.T) {
	rows := append(three(), design([3]float64{8, 0.125, 4}, [3]float64{8, 0.5, 16})...)
	s := newSetup(t, rows)
	for _, r := range rows {
		s.cluster.fail[s.Command.Fill(r)] = 9
	}
	failed, err := s.Go(t.Context())
	if err == nil || !strings.Contains(err.Error(), "the command does not work") || failed != 3 ||
		len(s.cluster.ran) != 3 {
		t.Errorf("%d runs, failed %d, %v", len(s.cluster.ran), failed, err)
	}
}

// A run that does not end in time is a failed one; the others are made.
func TestTimeout(t *testing.T) {
	s := newSetup(t, three())
	s.Timeout = time.Millisecond
	run := s.Run
	s.Run = func(ctx context.Context, command string) shell.Outcome {
		if command == "job 0.25 2" {
			<-ctx.Done()
			return shell.Outcome{Code: -1, Err: context.Cause(ctx)}
		}
		return run(context.WithoutCancel(ctx), command)
	}
	failed, err := s.Go(t.Context())
	if err != nil || failed != 1 || !strings.Contains(s.shown.String(), "it did not end in time, 1ms") {
		t.Errorf("got %d failed, %v, output\n%s", failed, err, s.shown)
	}
	if got := len(s.File.Rows); got != 2 {
		t.Errorf("%d rows, want 2", got)
	}
}

// §4.1: training runs are independent. Each waits here until all have begun; the file has them in the order of the
// design.
func TestAtOnce(t *testing.T) {
	s := newSetup(t, three())
	s.AtOnce = 3
	var begun sync.WaitGroup
	begun.Add(3)
	s.Run = func(_ context.Context, command string) shell.Outcome {
		begun.Done()
		begun.Wait()
		return shell.Outcome{Took: time.Duration(len(command)) * time.Second}
	}
	failed, err := s.Go(t.Context())
	if err != nil || failed > 0 {
		t.Fatal(failed, err)
	}
	if got, want := read(t, s.path), head+"4,0.125,11\n2,0.25,10\n1,0.25,10\n"; got != want {
		t.Errorf("the file is\n%s\nwant\n%s", got, want)
	}
}
