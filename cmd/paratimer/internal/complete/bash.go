package complete

import (
	"fmt"
	"slices"
	"strings"

	"github.com/paratimer/paratimer/cmd/paratimer/internal/manual"
)

// bash is a script for bash 3.2 and later: macOS has no newer one.
func bash(root *manual.Command) string {
	var b strings.Builder
	var paths, valued []string
	for _, c := range root.All() {
		if c != root {
			paths = append(paths, shellQuoted(below(c)))
		}
		for _, f := range flags(root, c) {
			for _, d := range dashed(&f) {
				if f.Value != "" && !slices.Contains(valued, d) {
					valued = append(valued, d)
				}
			}
		}
	}
	slices.Sort(valued)
	fmt.Fprintf(&b, bashHead, root.Path, strings.Join(valued, " "), strings.Join(paths, " | "))
	for _, c := range root.All() {
		bashCommand(&b, root, c)
	}
	b.WriteString(bashTail)
	fmt.Fprintf(&b, "complete -F _paratimer %s\n", root.Path)
	return b.String()
}

// bashCommand is what completes one command: its flags, the values of those that have a closed set, its arguments.
func bashCommand(b *strings.Builder, root, c *manual.Command) {
	var all, choices, files, folders []string
	for _, f := range flags(root, c) {
		v := ofFlag(&f)
		for _, d := range dashed(&f) {
			all = append(all, d)
			switch {
			case v.files:
				files = append(files, d)
			case v.folders:
				folders = append(folders, d)
			case len(v.words) > 0:
				choices = append(choices, d+"="+strings.Join(v.words, ","))
			}
		}
	}
	a := ofArguments(root, c)
	fmt.Fprintf(b, "\t%s)\n", shellQuoted(below(c)))
	for _, set := range []struct {
		name  string
		words []string
	}{{"flags", all}, {"choices", choices}, {"files", files}, {"folders", folders}, {"words", a.words}} {
		if len(set.words) > 0 {
			fmt.Fprintf(b, "\t\t%s=%s\n", set.name, shellQuoted(strings.Join(set.words, " ")))
		}
	}
	if a.files {
		b.WriteString("\t\targs=files\n")
	}
	b.WriteString("\t\t;;\n")
}

const bashHead = `# Completes %s in bash; made by ` + "`paratimer completion bash`" + `. It runs nothing.
_paratimer() {
	local IFS=$' \t\n'
	local cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD - 1]} path= word next i
	# bash cuts words at "=": --flag=value is three of them.
	if [[ $cur == = ]]; then
		cur=
	elif [[ $prev == = ]]; then
		prev=${COMP_WORDS[COMP_CWORD - 2]}
	fi
	local valued=' %s '
	for ((i = 1; i < COMP_CWORD; i++)); do
		word=${COMP_WORDS[i]}
		if [[ $word == -* ]]; then
			if [[ $valued == *" $word "* ]]; then
				[[ ${COMP_WORDS[i + 1]} == = ]] && ((i++))
				((i++))
			fi
			continue
		fi
		next="$path${path:+ }$word"
		case $next in
		%s)
			path=$next
			;;
		esac
	done
	local flags= choices= files= folders= words= args=
	case $path in
`

const bashTail = `	esac
	COMPREPLY=()
	for word in $choices; do
		if [[ ${word%%=*} == "$prev" ]]; then
			word=${word#*=}
			COMPREPLY=($(compgen -W "${word//,/ }" -- "$cur"))
			return
		fi
	done
	if [[ " $folders " == *" $prev "* ]]; then
		args=folders
	elif [[ " $files " == *" $prev "* ]]; then
		args=files
	elif [[ $valued == *" $prev "* ]]; then
		return
	elif [[ $cur == -* ]]; then
		COMPREPLY=($(compgen -W "$flags" -- "$cur"))
		return
	elif [[ -n $words ]]; then
		COMPREPLY=($(compgen -W "$words" -- "$cur"))
		return
	fi
	IFS=$'\n' # names may have blanks
	case $args in
	files)
		compopt -o filenames 2>/dev/null
		COMPREPLY=($(compgen -f -- "$cur"))
		;;
	folders)
		compopt -o filenames 2>/dev/null
		COMPREPLY=($(compgen -d -- "$cur"))
		;;
	esac
}
`
