package spark

import "testing"

func TestCallSite(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]string{
		"sortByKey at Sort.scala:44":                                   "sortByKey at Sort.scala:44",
		"collect at /data/nm/application_1_0001/container_1/sql.py:33": "collect at sql.py:33",
		"collect at /data/look at me/sql.py:33":                        "collect at sql.py:33",
		"parquet at NativeMethodAccessorImpl.java:0":                   "parquet at NativeMethodAccessorImpl.java:0",
		"SELECT a at /b FROM c":                                        "SELECT a at /b FROM c",
		"nightly a/b":                                                  "nightly a/b",
		"":                                                             "",
	} {
		if got := callSite(name); got != want {
			t.Errorf("callSite(%q) = %q, want %q", name, got, want)
		}
	}
}
