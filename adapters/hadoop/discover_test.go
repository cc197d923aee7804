package hadoop

import (
	"strings"
	"testing"
)

func TestTargets(t *testing.T) {
	for typed, want := range map[string]string{
		"":                                 "",
		" application_1795222440184_0007 ": "application_1795222440184_0007",
		"job_1795222440184_0007":           "job_1795222440184_0007",
		"pig_c7a0f6a4-0b5c-4a4e-8a4c-1d8d4f0c4a2b":       "pig_c7a0f6a4-0b5c-4a4e-8a4c-1d8d4f0c4a2b",
		"hive_root_20261121_x":                           "hive_root_20261121_x",
		"task_1795222440184_0007_m_000003":               "application_1795222440184_0007",
		"attempt_1795222440184_0007_r_000003_1":          "application_1795222440184_0007",
		"appattempt_1795222440184_0007_000001":           "application_1795222440184_0007",
		"container_1795222440184_0007_01_000002":         "application_1795222440184_0007",
		"container_e17_1795222440184_0007_01_000002":     "application_1795222440184_0007",
		"http://rm:8088/cluster/app/application_1_2":     "application_1_2",
		"https://jhs:19890/jobhistory/job/job_1_2/tasks": "job_1_2",
	} {
		if got, err := TargetOf(typed, "alice"); err != nil || got.ID != want || (got.User == "alice") != (want == "") {
			t.Errorf("%q: %+v, %v; want %q", typed, got, err, want)
		}
	}
	for typed, want := range map[string]string{
		"application_7":           "is no id",
		"job_1_2_m":               "is no id",
		"http://rm:8088/cluster":  "names no application",
		strings.Repeat("x", 2000): "2000 characters",
		"a\x1b[31mb":              "is no id of a workflow",
	} {
		if got, err := TargetOf(typed, ""); err == nil || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "\x1b") {
			t.Errorf("%q: %+v, %v; want %q", typed, got, err, want)
		}
	}
}
