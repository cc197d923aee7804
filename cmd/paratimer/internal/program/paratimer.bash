# Completes paratimer in bash, 3.2 and later, by asking it; printed by `paratimer completion bash`.
_paratimer() {
	local IFS=$'\n' cur=${COMP_WORDS[COMP_CWORD]} offers
	offers=$(command paratimer "${COMP_WORDS[@]:1:COMP_CWORD-1}" "$cur" --generate-bash-completion 2>/dev/null | cut -f1)
	cur=${cur#=} # bash cuts words at "="
	case $offers in
	:files) COMPREPLY=($(compgen -f -- "$cur")) ;;
	:folders) COMPREPLY=($(compgen -d -- "$cur")) ;;
	*)
		COMPREPLY=($(compgen -W "$offers" -- "$cur")) || return
		[[ ${COMPREPLY[0]} != *= ]] || compopt -o nospace 2>/dev/null
		return
		;;
	esac
	compopt -o filenames 2>/dev/null
}
complete -F _paratimer paratimer
