#compdef paratimer
# Completes paratimer in zsh, by asking it; printed by `paratimer completion zsh`. A file of $fpath, or sourced.
_paratimer() {
	local -a offers
	offers=("${(@f)$(command paratimer "${(@Q)words[2,CURRENT-1]}" "${(Q)words[CURRENT]}" --generate-bash-completion 2>/dev/null)}")
	case $offers[1] in
	'') ;;
	:files) compset -P 1 '--*='; _files ;;
	:folders) compset -P 1 '--*='; _files -/ ;;
	*) offers=("${(@)offers//:/\\:}"); offers=("${(@)offers/$'\t'/:}"); _describe paratimer offers ;;
	esac
}
if [[ $funcstack[1] == _paratimer ]]; then
	_paratimer "$@"
else
	compdef _paratimer paratimer
fi
