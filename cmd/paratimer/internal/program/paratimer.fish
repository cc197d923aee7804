# Completes paratimer in fish, 3.1 and later, by asking it; printed by `paratimer completion fish`.
function __paratimer_offers
    command -q paratimer; or return
    set -l cur (commandline -ct)
    set -l offers (command paratimer (commandline -opc)[2..] "$cur" --generate-bash-completion 2>/dev/null)
    set -l flag (string match -r -- '^--[^=]*=' "$cur")
    switch "$offers[1]"
        case :files
            printf '%s\n' "$flag"(__fish_complete_path (string replace -- "$flag" '' "$cur" | string unescape))
        case :folders
            printf '%s\n' "$flag"(__fish_complete_directories (string replace -- "$flag" '' "$cur"))
        case '*'
            printf '%s\n' $offers
    end
end
complete -c paratimer -f -a '(__paratimer_offers)'
