package spark

import (
	"context"
	"net/url"
	"os"
	"path/filepath"
	"strings"
)

// mostLocalLog bounds the event log that is read at the end of a run, in bytes, because a user waits for it.
const mostLocalLog = 256 << 20

// localLog returns the path of the application's finished event log on this machine, or "".
func (a *App) localLog() string {
	if !a.conf.on("spark.eventLog.enabled") {
		return ""
	}
	dir := a.conf["spark.eventLog.dir"]
	if dir == "" {
		dir = "/tmp/spark-events"
	}
	u, err := url.Parse(dir)
	if err != nil || u.Scheme != "" && u.Scheme != "file" || u.Host != "" || !filepath.IsAbs(u.Path) || !plainName(a.id) {
		return ""
	}
	name := a.id
	if plainName(a.turn) {
		name += "_" + a.turn
	}
	for _, end := range []string{"", ".zstd", ".lz4", ".gz"} {
		path := filepath.Join(u.Path, name+end)
		if info, err := os.Stat(path); err == nil && info.Mode().IsRegular() && info.Size() <= mostLocalLog {
			return path
		}
	}
	folder := filepath.Join(u.Path, "eventlog_v2_"+name)
	if _, err := os.Stat(filepath.Join(folder, "appstatus_"+name)); err == nil {
		return folder
	}
	return ""
}

// plainName reports whether an id is a valid file name.
func plainName(id string) bool {
	return id != "" && id == filepath.Base(id) && !strings.HasPrefix(id, ".") && !strings.Contains(id, "\\")
}

// readLocalLog applies the end of the application from its event log, if the log is on this machine.
func (a *App) readLocalLog() {
	path := a.localLog()
	if path == "" {
		return
	}
	logs, err := FindLogs(context.Background(), os.DirFS(filepath.Dir(path)), filepath.Base(path))
	if err != nil || len(logs) != 1 {
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
