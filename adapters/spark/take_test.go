package spark

import "testing"

func TestCause(t *testing.T) {
	t.Parallel()
	const python = "Traceback (most recent call last):\n  File \"/lab/worker.py\", line 1247, in main\n    process()\n" +
		"ValueError: a bad record\n\n\tat org.apache.spark.api.python.BasePythonRunner.read(PythonRunner.scala:572)\n"
	for text, want := range map[string]string{
		"":                                    "",
		"java.io.IOException: no\n\tat X.y()": "java.io.IOException: no",
		python:                                "ValueError: a bad record",
		"org.apache.spark.api.python.PythonException: " + python:                                      "ValueError: a bad record",
		"Lost task 2.3 in stage 1.0 (TID 17): org.apache.spark.api.python.PythonException: " + python: "Lost task 2.3 in stage 1.0 (TID 17): ValueError: a bad record",
		"Traceback (most recent call last):\n  cut":                                                   "Traceback (most recent call last):",
	} {
		if got := cause(text); got != want {
			t.Errorf("cause(%q) = %q, want %q", text, got, want)
		}
	}
}
