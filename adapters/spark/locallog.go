package spark

import (
	"cmp"
	"context"
	"net/url"
	"os"
	"path/filepath"
	"strings"
)

// mostLocalLog bounds the event log that is read at the end of a run, in bytes, because a user waits for it.
const mostLocalLog = 256 << 20

// localLog returns the folder of the application's event log, if it is on this machine, and the name of the finished
// log in it, or "".
func (a *App) localLog() (folder, name string) {
	u, err := url.Parse(cmp.Or(a.conf["spark.eventLog.dir"], "/tmp/spark-events"))
	if err != nil || u.Scheme != "" && u.Scheme != "file" || u.Host != "" || !filepath.IsAbs(u.Path) ||
		!plainName(a.id) || !a.conf.on("spark.eventLog.enabled") {
		return "", ""
	}
	id := a.id
	if plainName(a.turn) {
		id += "_" + a.turn
	}
	rolling := "eventlog_v2_" + id
	for _, file := range []string{id, id + ".zstd", id + ".lz4", id + ".gz", rolling + "/appstatus_" + id} {
		info, err := os.Stat(filepath.Join(u.Path, file))
		if err == nil && info.Mode().IsRegular() && info.Size() <= mostLocalLog {
			name, _, _ = strings.Cut(file, "/")
			return u.Path, name
		}
	}
	return "", ""
}

// plainName reports whether an id is a valid file name.
func plainName(id string) bool {
	return id != "" && id == filepath.Base(id) && !strings.HasPrefix(id, ".") && !strings.Contains(id, "\\")
}

// readLocalLog applies the end of the application from its event log, if the log is on this machine.
func (a *App) readLocalLog() {
	folder, name := a.localLog()
	if name == "" {
		return
	}
	logs, _ := FindLogs(context.Background(), os.DirFS(folder), name) // an unreadable file is no log
	if len(logs) != 1 {
		return
	}
	l, err := logs[0].Open()
	if err != nil || !l.Ended || l.id != a.id {
		return
	}
	for i := range l.events {
		switch e := &l.events[i]; e.kind.name {
		case "JobStart":
			if a.jobs[idOf(e.more.JobID)] == nil {
				e.kind.apply(a, e)
			}
		case "JobEnd", "StageCompleted", "TaskEnd", "SQLExecutionEnd", "ApplicationEnd":
			e.kind.apply(a, e)
		}
	}
	a.historyHasEnd = true
	for _, s := range a.stages {
		for _, t := range s.tries {
			t.complete = min(t.complete, t.tasks)
		}
	}
}
