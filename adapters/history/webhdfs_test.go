package history

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

// server answers as WebHDFS is documented to: a NameNode that sends readers on to a DataNode.
func server(t *testing.T, files map[string]string) (url string, requests *[]string) {
	t.Helper()
	requests = new([]string)
	data := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/octet-stream")
		fmt.Fprint(w, files[strings.TrimPrefix(r.URL.Path, prefix)])
	}))
	t.Cleanup(data.Close)
	name := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		*requests = append(*requests, r.Method+" "+r.URL.String())
		path, op := strings.TrimPrefix(r.URL.Path, prefix), r.URL.Query().Get("op")
		_, isFile := files[path]
		kids, isFolder := childrenOf(files, path)
		w.Header().Set("Content-Type", "application/json")
		switch {
		case r.URL.Query().Get("user.name") == "nobody":
			w.WriteHeader(http.StatusForbidden)
			fmt.Fprint(w, `{"RemoteException":{"exception":"AccessControlException","javaClassName":"x","message":"Permission denied: user=nobody\n\tat x"}}`)
		case !isFile && !isFolder:
			w.WriteHeader(http.StatusNotFound)
			fmt.Fprint(w, `{"RemoteException":{"exception":"FileNotFoundException","javaClassName":"java.io.FileNotFoundException","message":"File does not exist: `+path+`"}}`)
		case op == "GETFILESTATUS" && isFile:
			fmt.Fprintf(w, `{"FileStatus":{"accessTime":1320171722771,"blockSize":33554432,"group":"g","length":%d,"modificationTime":1320171722771,"owner":"o","pathSuffix":"","permission":"644","replication":1,"type":"FILE"}}`, len(files[path]))
		case op == "GETFILESTATUS":
			fmt.Fprint(w, `{"FileStatus":{"length":0,"modificationTime":1320173277227,"pathSuffix":"","permission":"711","type":"DIRECTORY"}}`)
		case op == "LISTSTATUS":
			fmt.Fprintf(w, `{"FileStatuses":{"FileStatus":[%s]}}`, strings.Join(kids, ","))
		case op == "OPEN" && isFile:
			http.Redirect(w, r, data.URL+r.URL.String(), http.StatusTemporaryRedirect)
		default:
			w.WriteHeader(http.StatusBadRequest)
		}
	}))
	t.Cleanup(name.Close)
	return name.URL, requests
}

func childrenOf(files map[string]string, folder string) (kids []string, ok bool) {
	folder = strings.TrimSuffix(folder, "/") + "/"
	seen := map[string]bool{}
	for name, text := range files {
		rest, below := strings.CutPrefix(name, folder)
		if !below {
			continue
		}
		first, _, deeper := strings.Cut(rest, "/")
		if seen[first] {
			continue
		}
		seen[first] = true
		kind := "FILE"
		if deeper {
			kind = "DIRECTORY"
		}
		kids = append(kids, fmt.Sprintf(`{"pathSuffix":%q,"type":%q,"length":%d,"modificationTime":1320173277227}`,
			first, kind, len(text)))
	}
	return kids, len(kids) > 0
}

func TestHDFS(t *testing.T) {
	url, requests := server(t, map[string]string{
		"/done/2026/a.jhist": "Avro-Json", "/done/2026/b c%.jhist": "x",
		"/done/z.json": "{}",
	})
	for _, address := range []string{
		strings.Replace(url, "http://", "webhdfs://", 1) + "/done",
		url + "/webhdfs/v1/done/",
	} {
		in, name, err := OpenHDFS(t.Context(), address, "alice", nil)
		if err != nil || name != "." {
			t.Fatalf("%s: %q, %v", address, name, err)
		}
		var found []string
		err = fs.WalkDir(in, name, func(name string, d fs.DirEntry, err error) error {
			if err == nil && !d.IsDir() {
				b, err := fs.ReadFile(in, name)
				if err != nil {
					return err
				}
				found = append(found, name+"="+string(b))
			}
			return err
		})
		if got := fmt.Sprint(found); err != nil || got != "[2026/a.jhist=Avro-Json 2026/b c%.jhist=x z.json={}]" {
			t.Errorf("%s holds %s, %v", address, got, err)
		}
	}
	for _, a := range *requests {
		if !strings.HasPrefix(a, "GET ") || !strings.Contains(a, "user.name=alice") {
			t.Errorf("unexpected request %s", a)
		}
	}
}

func TestOneFile(t *testing.T) {
	url, _ := server(t, map[string]string{"/done/a.jhist": "text", "/done/b": "x"})
	in, name, err := OpenHDFS(t.Context(), url+"/webhdfs/v1/done/a.jhist", "", nil)
	if err != nil || name != "a.jhist" {
		t.Fatal(name, err)
	}
	f, err := in.Open(name)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if b, err := io.ReadAll(f); err != nil || string(b) != "text" {
		t.Errorf("%q, %v", b, err)
	}
	if _, err := in.Stat("none_conf.xml"); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("a missing path: got %v, want fs.ErrNotExist", err)
	}
	if _, err := in.Open("../etc/passwd"); !errors.Is(err, fs.ErrInvalid) {
		t.Errorf("a way out: %v", err)
	}
}

// TestRefused checks the errors when HDFS refuses.
func TestRefused(t *testing.T) {
	url, _ := server(t, map[string]string{"/a/b": "x"})
	if _, _, err := OpenHDFS(t.Context(), url+"/webhdfs/v1/a", "nobody", nil); !errors.Is(err, fs.ErrPermission) ||
		!strings.Contains(err.Error(), "Permission denied: user=nobody") {
		t.Errorf("without permission: %v", err)
	}
	plain := httptest.NewServer(http.NotFoundHandler())
	defer plain.Close()
	if _, _, err := OpenHDFS(t.Context(), plain.URL+"/webhdfs/v1/a", "", nil); err == nil ||
		!strings.Contains(err.Error(), "is WebHDFS enabled") {
		t.Errorf("no WebHDFS: %v", err)
	}
	standby := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.WriteHeader(http.StatusForbidden)
		fmt.Fprint(w, `{"RemoteException":{"exception":"StandbyException","message":"Operation category READ is not supported in state standby"}}`)
	}))
	defer standby.Close()
	if _, _, err := OpenHDFS(t.Context(), standby.URL+"/webhdfs/v1/a", "", nil); err == nil ||
		!strings.Contains(err.Error(), "give the address of the other NameNode") {
		t.Errorf("a standby: %v", err)
	}
	garbage := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		fmt.Fprint(w, "<html>")
	}))
	defer garbage.Close()
	if _, _, err := OpenHDFS(t.Context(), garbage.URL+"/webhdfs/v1/a", "", nil); err == nil {
		t.Error("a page is a status")
	}
	for _, bad := range []string{"http://host/other", "webhdfs:///x", "hdfs://host/x", "webhdfs://u:secret@host/x"} {
		if _, _, err := OpenHDFS(t.Context(), bad, "", nil); err == nil || strings.Contains(err.Error(), "secret") {
			t.Errorf("%s: %v", bad, err)
		}
	}
}

// TestTokenStaysUnsaid: a NameNode sends readers to an address with a token in it; what fails there does not show it.
func TestTokenStaysUnsaid(t *testing.T) {
	name := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Query().Get("op") == "OPEN" {
			http.Redirect(w, r, "http://127.0.0.1:1/webhdfs/v1/f?op=OPEN&delegation=SECRET",
				http.StatusTemporaryRedirect)
			return
		}
		w.Header().Set("Content-Type", "application/json")
		fmt.Fprint(w, `{"FileStatus":{"length":1,"modificationTime":1,"pathSuffix":"","type":"FILE"}}`)
	}))
	defer name.Close()
	in, file, err := OpenHDFS(t.Context(), name.URL+"/webhdfs/v1/f", "", nil)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := in.Open(file); err == nil || strings.Contains(err.Error(), "SECRET") ||
		!strings.Contains(err.Error(), "refused") {
		t.Errorf("got %v", err)
	}
}
