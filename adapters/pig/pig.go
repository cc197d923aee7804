// Package pig reads and writes the names that Pig gives to what it runs. Pig calls every application "PigLatin:" and
// the script's file name; on Tez it numbers the DAGs of a script by the first operator of each.
package pig

import (
	"regexp"
	"strings"
)

const prefix = "PigLatin:"

// Is reports whether an application's name is that of a script of Pig.
func Is(app string) bool { return strings.HasPrefix(app, prefix) }

// Script returns the file name of the script that an application's name tells. A name that is not Pig's is returned as
// it is.
func Script(app string) string { return strings.TrimPrefix(app, prefix) }

// App returns the name of the applications of a script.
func App(script string) string { return prefix + script }

// dagName is the name of a DAG: PigLatin:join.pig-0_scope-0.
var dagName = regexp.MustCompile(`^` + prefix + `(.*?)(-\d+_scope-\d+)?$`)

// ScriptOfDAG returns the file name of the script that a DAG's name tells; false if the name is not Pig's.
func ScriptOfDAG(dag string) (script string, is bool) {
	m := dagName.FindStringSubmatch(dag)
	if m == nil {
		return "", false
	}
	return m[1], true
}
