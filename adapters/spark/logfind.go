package spark

import (
	"cmp"
	"context"
	"fmt"
	"io/fs"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// mostFiles bounds the files in a folder.
const mostFiles = 100_000

// File names of the pieces of a log.
var (
	// Spark 3: events_1_app-20261122165821-0002.zstd. A compacted piece ends in .compact and replaces earlier pieces.
	rolled = regexp.MustCompile(`^events_(\d{1,9})_(.+?)(?: \(\d+\)| copy| - Copy)?(?:\.[a-z0-9]{2,6})?(\.compact)?$`)
	// Spark 1: EVENT_LOG_1, in a folder with other files that are named after the version and the codec.
	numbered = regexp.MustCompile(`^(EVENT_LOG)_(\d{1,9})$`)
	// Databricks: eventlog-2023-06-14--15-30.gz, and eventlog for the newest piece.
	dated  = regexp.MustCompile(`^eventlog-(\d{4}-\d{2}-\d{2}--\d{2}-\d{2}[-\d]*)[^/]*$`)
	newest = regexp.MustCompile(`^eventlog(\.[a-z0-9]{2,6})?$`)
	// other matches files in history folders that are not event logs. There may be many, so they are not opened.
	other = regexp.MustCompile(`^[._]|\.(crc|xml|xml\.gz|jhist|jhist\.gz|summary|html|ya?ml|tape|tape\.gz|jar|py|sql|pig)$|` +
		`^([^.].*_)?job_[0-9]{12}_[0-9]+_|^history\.txt\.appattempt_|^(dag|appattempt)_\d+_`)
)

// A piece is one file of a log that has several.
type piece struct {
	name, order string
	n           int
	size        int64
	compact     string // suffix of a compacted piece
}

// A pieceGroup identifies the log of a piece.
type pieceGroup struct{ folder, log string }

// pieceOf parses the name of a piece and returns the log that it belongs to.
func pieceOf(name string) (p piece, of pieceGroup, ok bool) {
	folder, base := path.Split(name)
	p, of = piece{name: name}, pieceGroup{folder: path.Clean(folder)}
	if m := rolled.FindStringSubmatch(base); m != nil {
		p.n, _ = strconv.Atoi(m[1])
		p.compact, of.log = m[3], "events "+m[2]
		return p, of, true
	}
	if m := numbered.FindStringSubmatch(base); m != nil {
		p.n, _ = strconv.Atoi(m[2])
		of.log = m[1]
		return p, of, true
	}
	if m := dated.FindStringSubmatch(base); m != nil {
		p.order, of.log = m[1], "eventlog"
		return p, of, true
	}
	if newest.MatchString(base) {
		p.order, of.log = "~", "eventlog" // sorts after all dates
		return p, of, true
	}
	return p, of, false
}

// FindLogs returns the event logs in a file, or in a folder, its subfolders and their zips, by name.
func FindLogs(ctx context.Context, in fs.FS, name string) ([]LogFile, error) {
	info, err := fs.Stat(in, name)
	if err != nil {
		return nil, err
	}
	if !info.IsDir() { // a piece that the user names is read alone
		return oneFile(ctx, in, name)
	}
	var logs []LogFile
	groups, seen := map[pieceGroup][]piece{}, 0
	err = fs.WalkDir(in, name, func(file string, d fs.DirEntry, err error) error {
		switch {
		case ctx.Err() != nil:
			return context.Cause(ctx)
		case err != nil && d != nil && d.IsDir():
			return fs.SkipDir
		case err != nil:
			return err
		case d.IsDir() || other.MatchString(path.Base(file)):
			return nil
		}
		if seen++; seen > mostFiles {
			return fmt.Errorf("%s: more than %d files: give a smaller folder", name, mostFiles)
		}
		if p, of, ok := pieceOf(file); ok {
			if info, err := d.Info(); err == nil {
				p.size = info.Size()
			}
			groups[of] = append(groups[of], p)
		} else if found, err := oneFile(ctx, in, file); err == nil { // a damaged zip has no logs
			logs = append(logs, found...)
		}
		return nil
	})
	logs = append(logs, grouped(in, groups)...)
	slices.SortFunc(logs, func(a, b LogFile) int { return strings.Compare(a.Name, b.Name) })
	return logs, err
}

// grouped returns the logs that the groups of pieces form.
func grouped(in fs.FS, groups map[pieceGroup][]piece) (logs []LogFile) {
	inFolder := map[string]int{}
	for of := range groups {
		inFolder[of.folder]++
	}
	for of, list := range groups {
		found := LogFile{in: in, Name: of.folder, pieces: inOrder(list)}
		if !slices.ContainsFunc(found.pieces, func(name string) bool { return beginsAsLog(in, name) }) {
			continue
		}
		if inFolder[of.folder] > 1 || len(list) == 1 && newest.MatchString(path.Base(list[0].name)) {
			found.Name = found.pieces[0]
		}
		logs = append(logs, found)
	}
	return logs
}

// oneFile returns the log in a file, or all logs in a zip.
func oneFile(ctx context.Context, in fs.FS, name string) ([]LogFile, error) {
	if !isZip(in, name) {
		if !beginsAsLog(in, name) {
			return nil, nil
		}
		return []LogFile{{Name: name, in: in, pieces: []string{name}}}, nil
	}
	z, done, err := openZip(in, name)
	if err != nil {
		return nil, err
	}
	defer done()
	logs, err := FindLogs(ctx, z, ".")
	for i := range logs {
		logs[i].in, logs[i].zip = in, name
		if logs[i].Name = path.Join(name, logs[i].Name); len(logs) == 1 {
			logs[i].Name = name
		}
	}
	return logs, err
}

// inOrder returns the names of a log's pieces in order. A compacted piece replaces those before it. If a piece
// exists twice, the larger file is used.
func inOrder(list []piece) []string {
	slices.SortFunc(list, func(a, b piece) int {
		return cmp.Or(cmp.Compare(a.n, b.n), cmp.Compare(a.order, b.order), cmp.Compare(len(a.compact), len(b.compact)),
			cmp.Compare(b.size, a.size), cmp.Compare(a.name, b.name))
	})
	var out []string
	for i, p := range list {
		switch {
		case p.compact != "":
			out = nil
		case i > 0 && list[i-1].n == p.n && list[i-1].order == p.order:
			continue
		}
		out = append(out, p.name)
	}
	return out
}
