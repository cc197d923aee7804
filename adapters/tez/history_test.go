package tez_test

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"compress/zlib"
	"encoding/binary"
	"encoding/json"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/paratimer/paratimer/adapters/recording"
	"github.com/paratimer/paratimer/adapters/tez"
	"github.com/paratimer/paratimer/dag"
)

// historyOf puts the records of the history together that a recording has pieces of.
func historyOf(t *testing.T, name string) []string {
	t.Helper()
	var in io.Reader
	for _, folder := range []string{"testdata", "../../../shared/recordings-tez"} {
		if f, err := os.Open(filepath.Join(folder, name+".jsonl.gz")); err == nil {
			defer f.Close()
			if in, err = gzip.NewReader(f); err != nil {
				t.Fatal(err)
			}
			break
		}
	}
	if in == nil {
		t.Skip("no recording", name)
	}
	var out []string
	seen := map[string]bool{}
	s := bufio.NewScanner(in)
	s.Buffer(nil, 64<<20)
	for s.Scan() {
		var line struct{ URL, Body string }
		if json.Unmarshal(s.Bytes(), &line) != nil || !strings.Contains(line.URL, "/logs/history.txt") {
			continue
		}
		_, content, _ := tez.SplitLog(line.Body, 0)
		for record := range strings.SplitSeq(content, "\x01") {
			record = strings.TrimSpace(record)
			if !seen[record] && strings.HasPrefix(record, `{"entity"`) && json.Valid([]byte(record)) {
				seen[record] = true
				out = append(out, record)
			}
		}
	}
	return out
}

func playHistory(t *testing.T, in fs.FS, id string) []*dag.Snapshot {
	t.Helper()
	if !tez.HoldsHistory(in, ".") {
		t.Fatal("it is not known as history")
	}
	src, _, err := tez.ReplayHistory(t.Context(), in, ".", id)
	if err != nil {
		t.Fatal(err)
	}
	return play(t, src)
}

// TestHistory plays finished DAGs out of what both of Tez' services write: every attempt has the times that the
// recording of the DAG has.
func TestHistory(t *testing.T) {
	t.Parallel()
	for _, c := range truths {
		switch c.file {
		case "skew-3", "session-3":
		case "join-3", "hive-3":
			if testing.Short() {
				continue
			}
		default:
			continue // recorded without some of the history
		}
		t.Run(c.id, func(t *testing.T) {
			t.Parallel()
			records := historyOf(t, c.file)
			simple := fstest.MapFS{"logs/history.txt.appattempt_1_0001_000001": {Data: []byte(strings.Join(records,
				"\n\x01\n"))}}
			all := playHistory(t, simple, c.id)
			c.compare(t, all)
			if last := all[len(all)-1]; warned(last, dag.WarnNoEdges) || last.User != "root" ||
				len(all) < int(c.finished/1000) {
				t.Errorf("%d snapshots, user %q, %v", len(all), last.User, last.Warnings)
			}
			proto := fstest.MapFS{
				"app_data/date=2026-11-22/appattempt_1_0001_000001":       {Data: protoFile(t, records, "", false)},
				"dag_data/date=2026-11-22/" + c.id + "_1":                 {Data: protoFile(t, records, c.id, true)},
				"dag_meta/date=2026-11-22/appattempt_1_0001_000001.other": {Data: []byte("SEQ")},
			}
			c.compare(t, playHistory(t, proto, c.id))
		})
	}
}

// protoFile is a file of ProtoHistoryLoggingService about a DAG, or about the application: a SequenceFile of messages.
func protoFile(t *testing.T, records []string, id string, packed bool) []byte {
	t.Helper()
	var out bytes.Buffer
	text := func(s string) { out.WriteByte(byte(len(s))); out.WriteString(s) }
	number := func(n int) { _ = binary.Write(&out, binary.BigEndian, int32(n)) } //nolint:gosec // G115: small
	out.WriteString("SEQ\x06")
	text("org.apache.hadoop.io.NullWritable")
	text("org.apache.tez.dag.history.logging.proto.ProtoMessageWritable")
	if packed {
		out.WriteString("\x01\x00")
		text("org.apache.hadoop.io.compress.DefaultCodec")
	} else {
		out.WriteString("\x00\x00")
	}
	number(0)
	sync := strings.Repeat("s", 16)
	out.WriteString(sync)
	for i, record := range records {
		value := protoMessage(t, record, id)
		if value == nil {
			continue
		}
		value = append(binary.AppendUvarint(nil, uint64(len(value))), value...)
		if packed {
			var b bytes.Buffer
			w := zlib.NewWriter(&b)
			_, _ = w.Write(value)
			_ = w.Close()
			value = b.Bytes()
		}
		if i%10 == 9 {
			number(-1)
			out.WriteString(sync)
		}
		number(len(value))
		number(0)
		out.Write(value)
	}
	return out.Bytes()
}

// protoMessage is a record as HistoryEventProtoConverter has it; nil if it is not one of that DAG, or of none where id
// is "".
func protoMessage(t *testing.T, record, id string) []byte {
	t.Helper()
	var r struct {
		Entity  string
		Related []struct{ Entity, Entitytype string } `json:"relatedEntities"`
		Events  []struct {
			TS   int64
			Type string `json:"eventtype"`
			Info map[string]json.RawMessage
		}
		Other map[string]json.RawMessage `json:"otherinfo"`
	}
	if err := json.Unmarshal([]byte(record), &r); err != nil {
		t.Fatal(err)
	}
	kind, at := "APP_LAUNCHED", int64(1)
	if len(r.Events) > 0 {
		kind, at = r.Events[0].Type, r.Events[0].TS
	}
	entity := strings.TrimPrefix(r.Entity, "tez_")
	of := strings.Contains(entity+"_", strings.TrimPrefix(id, "dag_")+"_") && !strings.HasPrefix(entity, "app") &&
		!strings.HasPrefix(entity, "container")
	if id == "" {
		of = strings.HasPrefix(entity, "app") || strings.HasPrefix(entity, "container")
	}
	if !of {
		return nil
	}
	var b []byte
	put := func(b []byte, field int, s string) []byte {
		b = binary.AppendUvarint(b, uint64(field<<3|2)) //nolint:gosec // G115: small
		return append(binary.AppendUvarint(b, uint64(len(s))), s...)
	}
	b = put(b, 1, kind)
	b = append(b, 2<<3)
	b = binary.AppendUvarint(b, uint64(at)) //nolint:gosec // G115: a time
	data := map[string]string{}
	for key, v := range r.Other {
		var s string
		if json.Unmarshal(v, &s) != nil {
			s = string(v) // numbers and objects are texts
		}
		data[key] = s
	}
	for _, x := range r.Related {
		switch x.Entitytype {
		case "user":
			b = put(b, 3, x.Entity)
		case "containerId", "nodeId":
			data[x.Entitytype] = x.Entity
		}
	}
	if kind == "VERTEX_CONFIGURE_DONE" {
		var e struct {
			Events []struct {
				Info struct{ NumTasks int } `json:"eventinfo"`
			}
		}
		_ = json.Unmarshal([]byte(record), &e)
		data["numTasks"] = strconv.Itoa(e.Events[0].Info.NumTasks)
	}
	delete(data, "endTime") // the message's own time has it
	prefixes := map[string]int{"application_": 4, "appattempt_": 5, "dag_": 6, "vertex_": 7, "task_": 8, "attempt_": 9}
	for prefix, field := range prefixes {
		if strings.HasPrefix(entity, prefix) {
			b = put(b, field, entity)
		}
	}
	for key, value := range data {
		b = put(b, 10, string(put(put(nil, 1, key), 2, value)))
	}
	return b
}

// TestHistoryCut checks that a history that breaks off plays as far as it goes, and that others are errors.
func TestHistoryCut(t *testing.T) {
	t.Parallel()
	records := historyOf(t, "skew-3")
	c := truths[0]
	message := protoFile(t, records, c.id, true)
	for name, data := range map[string][]byte{
		"history.txt.appattempt_1": []byte(strings.Join(records[:60], "\n\x01\n") + "\n\x01\n{\"entity\":"),
		c.id + "_1":                message[:len(message)-2000], // its first record is most of it
	} {
		src, bad, err := tez.ReplayHistory(t.Context(), fstest.MapFS{name: {Data: data}}, ".", "")
		if err != nil {
			t.Fatal(name, err)
		}
		var last *dag.Snapshot
		for err == nil {
			var s *dag.Snapshot
			if s, err = src.Next(t.Context()); s != nil {
				last = s
			}
		}
		var cut *recording.CutOffError
		if !errors.As(err, &cut) || last == nil || last.State != dag.Running || bad == 0 {
			t.Errorf("%s: %v, %d bad", name, err, bad)
		}
	}
	for name, data := range map[string]string{
		"empty": "", "other": `{"entity":"tez_x","entitytype":"TEZ_APPLICATION"}`,
		"seq": "SEQ\x06", "old": "SEQ\x03",
	} {
		_, _, err := tez.ReplayHistory(t.Context(), fstest.MapFS{name: {Data: []byte(data)}}, name, "")
		if err == nil {
			t.Errorf("%s: no error", name)
		}
	}
}

// FuzzHistory reads whatever history: no panic, and only plans that hold the rules of dag.
func FuzzHistory(f *testing.F) {
	f.Add([]byte(`{"entity":"dag_1_1_1","events":[{"ts":5,"eventtype":"DAG_SUBMITTED"}],"otherinfo":{"dagPlan":{"vertices":[{"vertexName":"a"}]}}}` + "\x01" +
		`{"entity":"vertex_1_1_1_00","events":[{"ts":6,"eventtype":"VERTEX_INITIALIZED"}],"otherinfo":{"numTasks":2}}`))
	f.Add([]byte("SEQ\x06\x01k\x14ProtoMessageWritable\x00\x00\x00\x00\x00\x00" + strings.Repeat("s", 16) +
		"\x00\x00\x00\x02\x00\x00\x00\x00\x01\x08"))
	f.Fuzz(func(t *testing.T, data []byte) {
		src, _, err := tez.ReplayHistory(t.Context(), fstest.MapFS{"history": {Data: data}}, "history", "")
		if err != nil {
			return
		}
		for range 50 {
			s, err := src.Next(t.Context())
			if err != nil {
				return
			}
			if err := dag.Validate(s.Plan); err != nil && !dag.TooLarge(s.Warnings) {
				t.Fatal(err)
			}
		}
	})
}

// TestHistoryOfProtoService reads files that the classes of ProtoHistoryLoggingService of Tez 0.10.5 wrote, from the
// events of a recorded DAG. Of its counters those that are read are kept.
func TestHistoryOfProtoService(t *testing.T) {
	t.Parallel()
	for _, c := range truths {
		if c.id != "dag_1795367695478_0002_2" {
			continue
		}
		all := playHistory(t, os.DirFS("testdata/proto"), "")
		c.compare(t, all)
		last := all[len(all)-1]
		if last.Plan.Overheads.SetupMin != 0 {
			t.Errorf("its containers were held, and took %v to launch", last.Plan.Overheads.SetupMin)
		}
		if last.Plan.Cluster.MemoryMB != 1024+6*256 || last.Plan.Jobs[0].Stages[1].After[0].Ratio != 0.05 {
			t.Errorf("cluster %+v, edges %+v", last.Plan.Cluster, last.Plan.Jobs[0].Stages[1].After)
		}
	}
}
