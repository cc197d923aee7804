//go:build unix

package main

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"strconv"

	"github.com/paratimer/paratimer/adapters/tap"
)

// ancestors searches the command lines of the parent processes for the attempt's id, because Hadoop passes it to the
// task's Java process. It returns "" if there is none, or no /proc.
func ancestors() string {
	pid := os.Getppid()
	for range 10 {
		line := readProc(pid, "cmdline")
		if bytes.Contains(line, []byte("YarnChild")) {
			for arg := range bytes.SplitSeq(line, []byte{0}) {
				if _, err := tap.ParseAttempt(string(arg)); err == nil {
					return string(arg)
				}
			}
		}
		// The format is "pid (name) state ppid"; the name may contain any character.
		stat := readProc(pid, "stat")
		after := bytes.Fields(stat[bytes.LastIndexByte(stat, ')')+1:])
		if len(after) < 2 {
			return ""
		}
		parent, err := strconv.Atoi(string(after[1]))
		if err != nil || parent < 1 {
			return ""
		}
		pid = parent
	}
	return ""
}

func readProc(pid int, name string) []byte {
	f, err := os.Open(fmt.Sprintf("/proc/%d/%s", pid, name))
	if err != nil {
		return nil
	}
	defer f.Close()
	b, _ := io.ReadAll(io.LimitReader(f, 1<<20))
	return b
}
