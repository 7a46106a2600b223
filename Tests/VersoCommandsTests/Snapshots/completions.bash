# Completion of verso for bash; made by 'verso completions bash'.

# Offers the words of $1 that begin with $2.
_verso_words() { mapfile -t COMPREPLY < <(compgen -W "$1" -- "$2"); }

# Offers files and folders, or with -d folders only, that begin with $2. The word is as typed: its
# quotes are taken off here, and bash puts them on again.
_verso_files() {
  local begin=${2//\\/}
  compopt -o filenames 2> /dev/null
  mapfile -t COMPREPLY < <(compgen "$1" -- "${begin#[\"\']}")
}

_verso() {
  local word=${COMP_WORDS[COMP_CWORD]} previous=${COMP_WORDS[COMP_CWORD - 1]}
  local command= index flags
  COMPREPLY=()
  # The command is the first word that is neither an option nor the value of one.
  for ((index = 1; index < COMP_CWORD; index++)); do
    case ${COMP_WORDS[index]} in
      -C | --color)
        [[ ${COMP_WORDS[index + 1]} == = ]] && ((index++))
        ((index++)) ;;
      -* | =) ;;
      *) command=${COMP_WORDS[index]}; break ;;
    esac
  done
  # bash makes three words of --option=value.
  if [[ $word == = ]]; then word=; fi
  if [[ $previous == = ]]; then previous=${COMP_WORDS[COMP_CWORD - 2]}; fi
  case $command:$previous in
    *:-C) _verso_files -d "$word"; return ;;
    *:--color) _verso_words 'auto always never' "$word"; return ;;
    init:--git-dir) _verso_files -d "$word"; return ;;
    init:--device) :; return ;;
    init:--remote) :; return ;;
    init:--wait) :; return ;;
    clone:--device) :; return ;;
    clone:--wait) :; return ;;
    forget:--wait) :; return ;;
    save:-m | save:--message) :; return ;;
    save:--wait) :; return ;;
    watch:--settle) :; return ;;
    watch:--sync-every) _verso_words 'never' "$word"; return ;;
    browse:--dump) :; return ;;
    browse:--script) _verso_files -f "$word"; return ;;
    browse:--theme) _verso_words 'dark light high-contrast mono' "$word"; return ;;
    pause:--wait) :; return ;;
    resume:--wait) :; return ;;
    sync:--timeout) :; return ;;
    sync:--grace) :; return ;;
    sync:--wait) :; return ;;
    conflicts:--keep) _verso_words 'this copy both' "$word"; return ;;
    conflicts:--wait) :; return ;;
    status:--max-age) :; return ;;
    log:--since) _verso_words 'now today yesterday' "$word"; return ;;
    log:--until) _verso_words 'now today yesterday' "$word"; return ;;
    log:-n) :; return ;;
    search:--in) _verso_files -f "$word"; return ;;
    search:--since) _verso_words 'now today yesterday' "$word"; return ;;
    search:--until) _verso_words 'now today yesterday' "$word"; return ;;
    search:-n) :; return ;;
    show:--at | cat:--at) _verso_words 'now today yesterday' "$word"; return ;;
    ls:--at) _verso_words 'now today yesterday' "$word"; return ;;
    diff:--from) _verso_words 'now today yesterday' "$word"; return ;;
    diff:--to) _verso_words 'now today yesterday' "$word"; return ;;
    who:--at) _verso_words 'now today yesterday' "$word"; return ;;
    who:--lines) :; return ;;
    activity:--since) _verso_words 'now today yesterday' "$word"; return ;;
    activity:--until) _verso_words 'now today yesterday' "$word"; return ;;
    restore:--at) _verso_words 'now today yesterday' "$word"; return ;;
    restore:--as) _verso_files -f "$word"; return ;;
    restore:--lines) :; return ;;
    restore:--wait) :; return ;;
    undo:--wait) :; return ;;
    redo:--wait) :; return ;;
    export:--at) _verso_words 'now today yesterday' "$word"; return ;;
    schedule:--every) :; return ;;
    schedule:--wait) :; return ;;
    doctor:--wait) :; return ;;
    compact:--wait) :; return ;;
  esac
  case $command in
    '') flags='-C -q --quiet -v --verbose --json --color -h --help --version' ;;
    init) flags='--git-dir --device --remote --create -y --yes --force --wait --dry-run -C -q --quiet -v --verbose --json --color -h --help' ;;
    clone) flags='--device --wait --dry-run -C -q --quiet -v --verbose --json --color -h --help' ;;
    forget) flags='--wait --dry-run -C -q --quiet -v --verbose --json --color -h --help' ;;
    save) flags='-m --message --allow-mass-delete --wait --dry-run -C -q --quiet -v --verbose --json --color -h --help' ;;
    watch) flags='--settle --sync-every -C -q --quiet -v --verbose --json --color -h --help' ;;
    browse) flags='--dump --script --no-mouse --no-animation --accessible --rtl --theme --debug-layout -C -q --quiet -v --verbose --json --color -h --help' ;;
    pause) flags='--wait --dry-run -C -q --quiet -v --verbose --json --color -h --help' ;;
    resume) flags='--wait --dry-run -C -q --quiet -v --verbose --json --color -h --help' ;;
    sync) flags='--all --timeout --grace --allow-mass-delete --wait --dry-run -C -q --quiet -v --verbose --json --color -h --help' ;;
    conflicts) flags='--keep --merge --wait --dry-run -C -q --quiet -v --verbose --json --color -h --help' ;;
    status) flags='--all --check --max-age -0 -C -q --quiet -v --verbose --json --color -h --help' ;;
    log) flags='--since --until -n --all --stat --names --digest -0 -C -q --quiet -v --verbose --json --color -h --help' ;;
    search) flags='--in --history --regex --since --until -n -C -q --quiet -v --verbose --json --color -h --help' ;;
    show | cat) flags='--at --raw -C -q --quiet -v --verbose --json --color -h --help' ;;
    ls) flags='--at -0 -C -q --quiet -v --verbose --json --color -h --help' ;;
    diff) flags='--from --to --words -C -q --quiet -v --verbose --json --color -h --help' ;;
    who) flags='--at --lines -C -q --quiet -v --verbose --json --color -h --help' ;;
    activity) flags='--since --until --stat -C -q --quiet -v --verbose --json --color -h --help' ;;
    restore) flags='--at --as --lines --exact -y --yes --wait --dry-run -C -q --quiet -v --verbose --json --color -h --help' ;;
    undo) flags='--merge -y --yes --wait --dry-run -C -q --quiet -v --verbose --json --color -h --help' ;;
    redo) flags='--wait --dry-run -C -q --quiet -v --verbose --json --color -h --help' ;;
    export) flags='--at --dry-run -C -q --quiet -v --verbose --json --color -h --help' ;;
    schedule) flags='--every --watch --systemd --cron --print --wait --dry-run -C -q --quiet -v --verbose --json --color -h --help' ;;
    doctor) flags='--fix --wait --dry-run -C -q --quiet -v --verbose --json --color -h --help' ;;
    compact) flags='--wait --dry-run -C -q --quiet -v --verbose --json --color -h --help' ;;
    completions) flags='-C -q --quiet -v --verbose --json --color -h --help' ;;
    help) flags='-C -q --quiet -v --verbose --json --color -h --help' ;;
    *) flags= ;;
  esac
  if [[ $word == -* ]]; then
    _verso_words "$flags" "$word"
    return
  fi
  case $command in
    '') _verso_words 'init clone forget save watch browse pause resume sync conflicts status log search show cat ls diff who activity restore undo redo export schedule doctor compact completions help' "$word" ;;
    init) _verso_files -d "$word" ;;
    clone) _verso_files -d "$word" ;;
    forget) _verso_files -d "$word" ;;
    save) _verso_files -f "$word" ;;
    watch) _verso_files -d "$word" ;;
    browse) _verso_files -d "$word" ;;
    pause) : ;;
    sync) _verso_files -d "$word" ;;
    conflicts) _verso_files -f "$word" ;;
    status) _verso_files -f "$word" ;;
    log) _verso_files -f "$word" ;;
    search) : ;;
    show | cat) _verso_files -f "$word" ;;
    ls) _verso_files -f "$word" ;;
    diff) _verso_files -f "$word" ;;
    who) _verso_files -f "$word" ;;
    activity) _verso_files -f "$word" ;;
    restore) _verso_files -f "$word" ;;
    export) _verso_files -f "$word" ;;
    schedule) _verso_files -d "$word" ;;
    doctor) _verso_files -d "$word" ;;
    completions) _verso_words 'bash zsh fish' "$word" ;;
    help) _verso_words 'init clone forget save watch browse pause resume sync conflicts status log search show ls diff who activity restore undo redo export schedule doctor compact completions help when json man' "$word" ;;
  esac
}

complete -F _verso verso
