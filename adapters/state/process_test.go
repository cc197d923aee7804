package state

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
)

// The test binary is also the processes that share a folder: PARATIMER_TEST_PROCESS selects what one does.
func TestMain(m *testing.M) {
	what, dir, _ := strings.Cut(os.Getenv("PARATIMER_TEST_PROCESS"), " ")
	if what == "" {
		os.Exit(m.Run())
	}
	s, err := Open(dir)
	if err == nil {
		err = processes[what](s)
	}
	if err != nil {
		fmt.Println("error:", err)
		os.Exit(1)
	}
}

var processes = map[string]func(*Store) error{
	// count adds runs for ever, and prints each one that is stored.
	"count": func(s *Store) error {
		for i := 0; ; i++ {
			if err := grow(s, "a.pig", os.Getenv("PARATIMER_TEST_NAME")+strconv.Itoa(i), 5_000); err != nil {
				return err
			}
			fmt.Println("remembered", i)
		}
	},
	// ten adds ten runs.
	"ten": func(s *Store) error {
		for i := range 10 {
			if err := grow(s, "a.pig", os.Getenv("PARATIMER_TEST_NAME")+strconv.Itoa(i), 100); err != nil {
				return err
			}
		}
		return nil
	},
	// stop stays in the middle of an update for ever.
	"stop": func(s *Store) error {
		return s.Update("a.pig", func(w *Workflow) error {
			w.Runs = nil
			fmt.Println("inside")
			stay()
			return nil
		})
	},
	// lead is elected and stays it for ever.
	"lead": func(s *Store) error {
		release, err := s.Elect("alerts")
		if err != nil {
			return err
		}
		defer release()
		fmt.Println("leading")
		stay()
		return nil
	},
	// full adds a run that is larger than files may become.
	"full": func(s *Store) error {
		signal.Ignore(syscall.SIGXFSZ)
		if err := syscall.Setrlimit(syscall.RLIMIT_FSIZE, &syscall.Rlimit{Cur: 4096, Max: 4096}); err != nil {
			return err
		}
		err := grow(s, "a.pig", "large", 100_000)
		if !errors.Is(err, syscall.EFBIG) {
			return fmt.Errorf("a write beyond the limit: %w", err)
		}
		return grow(s, "b.pig", "small", 10)
	},
}

// stay waits to be killed. A select without cases would be a deadlock, which ends the process by itself.
func stay() {
	signals := make(chan os.Signal, 1)
	signal.Notify(signals, syscall.SIGTERM)
	<-signals
}

// grow adds a run with a profile of so many bytes, of which the file keeps that of the newest 20 runs.
func grow(s *Store, name, id string, bytes int) error {
	return s.Update(name, func(w *Workflow) error {
		profile, err := json.Marshal(strings.Repeat("x", bytes))
		w.Runs = append(w.Runs, Run{ID: id, Profile: profile})
		for i := range max(0, len(w.Runs)-20) {
			w.Runs[i].Profile = nil
		}
		return err
	})
}

// start starts this binary as a process, and returns it with the lines that it prints.
func start(t *testing.T, what, dir string, env ...string) (*exec.Cmd, *bufio.Scanner) {
	t.Helper()
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(append(os.Environ(), "PARATIMER_TEST_PROCESS="+what+" "+dir), env...)
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = cmd.Process.Kill() })
	return cmd, bufio.NewScanner(out)
}

// TestKilledInTheMiddle kills a writer again and again, wherever it is. Every run that it printed is still stored, the
// file is whole, no lock is held and nothing is left behind.
func TestKilledInTheMiddle(t *testing.T) {
	dir := t.TempDir()
	rounds := 12
	if testing.Short() {
		rounds = 5
	}
	want := []string{}
	for round := range rounds {
		name := fmt.Sprintf("r%d-", round)
		cmd, lines := start(t, "count", dir, "PARATIMER_TEST_NAME="+name)
		reported := -1
		for reported < round%5 && lines.Scan() {
			if strings.HasPrefix(lines.Text(), "error") {
				t.Fatal(lines.Text())
			}
			reported++
		}
		if err := cmd.Process.Kill(); err != nil {
			t.Fatal(err)
		}
		for lines.Scan() { // what it had printed before it died
			reported++
		}
		_ = cmd.Wait() // it was killed
		got := ids(t, &Store{dir}, "a.pig")
		for i := range reported + 1 {
			want = append(want, name+strconv.Itoa(i))
		}
		if more := name + strconv.Itoa(reported+1); len(got) == len(want)+1 && got[len(got)-1] == more {
			want = append(want, more) // it died between the write and its word
		}
		if !slices.Equal(got, want) {
			t.Fatalf("round %d: runs %v, want %v", round, got, want)
		}
	}
	s := open(t, dir)
	add(t, s, "a.pig", "after")
	if left := names(t, dir, leftover); len(left) != 0 {
		t.Errorf("%v are left behind", left)
	}
}

// TestKilledWhileItHoldsTheLock checks that the next process does not wait, and that nothing has changed.
func TestKilledWhileItHoldsTheLock(t *testing.T) {
	dir := t.TempDir()
	s := open(t, dir)
	add(t, s, "a.pig", "w1")
	cmd, lines := start(t, "stop", dir)
	if !lines.Scan() || lines.Text() != "inside" {
		t.Fatal(lines.Text())
	}
	if _, err := lock(s.path("a.pig", ".lock")); !errors.Is(err, ErrLocked) {
		t.Errorf("its lock is free: %v", err)
	}
	add(t, s, "b.pig", "w1") // another workflow is not locked
	if err := cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = cmd.Wait() // it was killed
	add(t, s, "a.pig", "w2")
	if got := ids(t, s, "a.pig"); !slices.Equal(got, []string{"w1", "w2"}) {
		t.Errorf("runs %v", got)
	}
}

// TestLeftoversAreSwept: the next write of a workflow replaces its leftovers, and Open removes locks of dead leaders.
func TestLeftoversAreSwept(t *testing.T) {
	dir := t.TempDir()
	s := open(t, dir)
	isMissing := func(path string) bool { _, err := os.Stat(path); return errors.Is(err, os.ErrNotExist) }
	left := s.path("a.pig", ".json"+leftover)
	if err := os.WriteFile(left, []byte(`{"ver`), 0o600); err != nil {
		t.Fatal(err)
	}
	add(t, s, "a.pig", "w1")
	if !isMissing(left) || !slices.Equal(ids(t, s, "a.pig"), []string{"w1"}) {
		t.Errorf("after a write: the leftover is missing: %v, runs %v", isMissing(left), ids(t, s, "a.pig"))
	}
	if err := os.WriteFile(s.path("dead", leader), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	open(t, dir)
	if !isMissing(s.path("dead", leader)) {
		t.Error("the lock of a leader that died is still there")
	}
}

const leftover = ".tmp"

// TestManyWriters checks that processes and goroutines that write one workflow at once lose nothing.
func TestManyWriters(t *testing.T) {
	dir := t.TempDir()
	var all []*exec.Cmd
	for p := range 6 {
		cmd, _ := start(t, "ten", dir, fmt.Sprintf("PARATIMER_TEST_NAME=p%d-", p))
		all = append(all, cmd)
	}
	s := open(t, dir)
	done := make(chan error)
	for g := range 4 {
		go func() {
			var err error
			for i := range 10 {
				err = errors.Join(err, grow(s, "a.pig", fmt.Sprintf("g%d-%d", g, i), 100))
			}
			done <- err
		}()
	}
	for range 4 {
		if err := <-done; err != nil {
			t.Error(err)
		}
	}
	for _, cmd := range all {
		if err := cmd.Wait(); err != nil {
			t.Error(err)
		}
	}
	got := ids(t, s, "a.pig")
	slices.Sort(got)
	if len(got) != 100 || len(slices.Compact(got)) != 100 {
		t.Errorf("%d runs, want 100 different ones", len(got))
	}
}

// TestDiskFull checks that a write that does not fit leaves the old file and no other.
func TestDiskFull(t *testing.T) {
	dir := t.TempDir()
	s := open(t, dir)
	add(t, s, "a.pig", "w1")
	cmd, lines := start(t, "full", dir)
	for lines.Scan() {
		t.Error(lines.Text())
	}
	if err := cmd.Wait(); err != nil {
		t.Error(err)
	}
	if got := ids(t, s, "a.pig"); !slices.Equal(got, []string{"w1"}) {
		t.Errorf("runs %v, want what was there before", got)
	}
	if got := ids(t, s, "b.pig"); !slices.Equal(got, []string{"small"}) {
		t.Errorf("runs of another workflow: %v", got)
	}
	if left := names(t, dir, leftover); len(left) != 0 {
		t.Errorf("%v are left behind", left)
	}
}

// TestElect checks that one leads at a time, that another follows when it steps back or dies, and that no file stays.
func TestElect(t *testing.T) {
	dir := t.TempDir()
	s := open(t, dir)
	release, err := s.Elect("alerts")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := open(t, dir).Elect("alerts"); !errors.Is(err, ErrLocked) {
		t.Errorf("a second leader: %v", err)
	}
	other, err := s.Elect("other")
	if err != nil {
		t.Errorf("a leader of something else: %v", err)
	}
	other()
	release()
	cmd, lines := start(t, "lead", dir)
	if !lines.Scan() || lines.Text() != "leading" {
		t.Fatal(lines.Text())
	}
	if _, err := s.Elect("alerts"); !errors.Is(err, ErrLocked) {
		t.Errorf("a leader beside another process: %v", err)
	}
	if err := cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = cmd.Wait() // it was killed
	release, err = s.Elect("alerts")
	if err != nil {
		t.Fatalf("after the leader's death: %v", err)
	}
	release()
	if left := names(t, dir, ""); len(left) != 0 {
		t.Errorf("%v are left", left)
	}
}

// TestOneLeader lets many stand for election again and again: there is never more than one, though each removes the
// lock's file.
func TestOneLeader(t *testing.T) {
	s := open(t, t.TempDir())
	leading := make(chan struct{}, 1)
	done := make(chan int)
	for range 8 {
		go func() {
			won := 0
			for range 200 {
				release, err := s.Elect("alerts")
				if err != nil {
					continue
				}
				won++
				select {
				case leading <- struct{}{}:
					<-leading
				default:
					t.Error("two leaders at once")
				}
				release()
			}
			done <- won
		}()
	}
	won := 0
	for range 8 {
		won += <-done
	}
	if won == 0 {
		t.Error("no process was ever elected")
	}
}
