// Package pig parses and makes the names that Pig gives to its applications and DAGs. An application's name is
// "PigLatin:" and the script's file name. On Tez, the names of a script's DAGs also have the number of their first
// operator.
package pig

import (
	"regexp"
	"strings"
)

const prefix = "PigLatin:"

// Is reports whether an application's name is that of a Pig script.
func Is(app string) bool { return strings.HasPrefix(app, prefix) }

// Script returns the script's file name in an application's name. Names that are not Pig's are returned unchanged.
func Script(app string) string { return strings.TrimPrefix(app, prefix) }

// App returns the name of the applications of a script.
func App(script string) string { return prefix + script }

// dagName matches the name of a DAG, such as PigLatin:join.pig-0_scope-0.
var dagName = regexp.MustCompile(`^` + prefix + `(.*?)(-\d+_scope-\d+)?$`)

// ScriptOfDAG returns the script's file name in a DAG's name, or false if the name is not Pig's.
func ScriptOfDAG(dag string) (script string, is bool) {
	m := dagName.FindStringSubmatch(dag)
	if m == nil {
		return "", false
	}
	return m[1], true
}
