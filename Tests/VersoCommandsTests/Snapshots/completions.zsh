#compdef verso
# Completion of verso for zsh; made by 'verso completions zsh'.

_verso() {
  local context state state_descr line
  typeset -A opt_args
  _arguments -C \
    '*-C[Work as if started in DIR]:DIR:_files -/' \
    '*-q[Print errors only, and never ask]' \
    '*--quiet[Print errors only, and never ask]' \
    '*-v[Say more]' \
    '*--verbose[Say more]' \
    '*--json[Print one JSON object a line]' \
    '*--color=[When to use colour]:MODE:(auto always never)' \
    '*-h[Show help, and do nothing else]' \
    '*--help[Show help, and do nothing else]' \
    '*--version[Print the version, and do nothing else]' \
    '1:command:->command' \
    '*::operand:->operand' && return
  case $state in
    command)
      local -a commands=(
        'init:Make a directory a vault and save what it holds'
        'clone:Make a vault of what other devices have saved'
        'forget:Make a vault an ordinary repository again'
        'save:Save everything that changed as one version'
        'watch:Save every change by itself, once it has settled'
        'browse:Read, edit and go back in time in the terminal'
        'pause:Hold what is saved by itself'
        'resume:End a pause'
        'sync:Save, take in what other devices saved, and send them the rest'
        'conflicts:List and end conflicts between devices'
        'status:Show what has not been saved, and what needs a look'
        'log:List versions, newest first'
        'search:Find words in notes, and in what they once held'
        'show:Print a note as it was'
        'cat:Print a note as it was'
        'ls:List a folder as it was'
        'diff:Show what changed'
        'who:Show who wrote each line of a note'
        'activity:Show a calendar of saves'
        'restore:Bring a note or folder back'
        'undo:Take back the last action'
        'redo:Do again what '\''verso undo'\'' took back'
        'export:Write an old state into a directory of its own'
        'schedule:Let the machine synchronise a vault by itself'
        'doctor:Check that a vault is in good health'
        'compact:Store the history in less room'
        'completions:Print a completion script for a shell'
        'help:Show help'
      )
      _describe -t commands command commands
      ;;
    operand)
      case $line[1] in
        init)
          _arguments \
            '*--git-dir=[Keep the repository at PATH, outside the directory\: for folders that another tool synchronises]:PATH:_files -/' \
            '*--device=[What this machine is called in history]:NAME: ' \
            '*--remote=[Synchronise with this repository]:URL|NAME: ' \
            '*--create[Make the repository of --remote, over ssh or on the disk, where it is missing]' \
            '*-y[Take on a large directory without asking]' \
            '*--yes[Take on a large directory without asking]' \
            '*--force[Allow a home directory]' \
            '*--wait=[How long to wait while another process holds the vault'\''s lock]:SECONDS: ' \
            '*--dry-run[Say what would be done, and do nothing]' \
            '*-C[Work as if started in DIR]:DIR:_files -/' \
            '*-q[Print errors only, and never ask]' \
            '*--quiet[Print errors only, and never ask]' \
            '*-v[Say more]' \
            '*--verbose[Say more]' \
            '*--json[Print one JSON object a line]' \
            '*--color=[When to use colour]:MODE:(auto always never)' \
            '*-h[Show help, and do nothing else]' \
            '*--help[Show help, and do nothing else]' \
            '::DIR:_files -/' \
            && return ;;
        clone)
          _arguments \
            '*--device=[What this machine is called in history]:NAME: ' \
            '*--wait=[How long to wait while another process holds the vault'\''s lock]:SECONDS: ' \
            '*--dry-run[Say what would be done, and do nothing]' \
            '*-C[Work as if started in DIR]:DIR:_files -/' \
            '*-q[Print errors only, and never ask]' \
            '*--quiet[Print errors only, and never ask]' \
            '*-v[Say more]' \
            '*--verbose[Say more]' \
            '*--json[Print one JSON object a line]' \
            '*--color=[When to use colour]:MODE:(auto always never)' \
            '*-h[Show help, and do nothing else]' \
            '*--help[Show help, and do nothing else]' \
            ':URL: ' \
            '::DIR:_files -/' \
            && return ;;
        forget)
          _arguments \
            '*--wait=[How long to wait while another process holds the vault'\''s lock]:SECONDS: ' \
            '*--dry-run[Say what would be done, and do nothing]' \
            '*-C[Work as if started in DIR]:DIR:_files -/' \
            '*-q[Print errors only, and never ask]' \
            '*--quiet[Print errors only, and never ask]' \
            '*-v[Say more]' \
            '*--verbose[Say more]' \
            '*--json[Print one JSON object a line]' \
            '*--color=[When to use colour]:MODE:(auto always never)' \
            '*-h[Show help, and do nothing else]' \
            '*--help[Show help, and do nothing else]' \
            '::DIR:_files -/' \
            && return ;;
        save)
          _arguments \
            '*-m[The first line of the version'\''s description]:TEXT: ' \
            '*--message=[The first line of the version'\''s description]:TEXT: ' \
            '*--allow-mass-delete[Accept the deletions that are held back, exactly those listed]' \
            '*--wait=[How long to wait while another process holds the vault'\''s lock]:SECONDS: ' \
            '*--dry-run[Say what would be done, and do nothing]' \
            '*-C[Work as if started in DIR]:DIR:_files -/' \
            '*-q[Print errors only, and never ask]' \
            '*--quiet[Print errors only, and never ask]' \
            '*-v[Say more]' \
            '*--verbose[Say more]' \
            '*--json[Print one JSON object a line]' \
            '*--color=[When to use colour]:MODE:(auto always never)' \
            '*-h[Show help, and do nothing else]' \
            '*--help[Show help, and do nothing else]' \
            '*:PATH:_files' \
            && return ;;
        watch)
          _arguments \
            '*--settle=[How long nothing must have changed]:DURATION: ' \
            '*--sync-every=[How often to synchronise with the remote, where there is one]:DURATION|never:(never)' \
            '*-C[Work as if started in DIR]:DIR:_files -/' \
            '*-q[Print errors only, and never ask]' \
            '*--quiet[Print errors only, and never ask]' \
            '*-v[Say more]' \
            '*--verbose[Say more]' \
            '*--json[Print one JSON object a line]' \
            '*--color=[When to use colour]:MODE:(auto always never)' \
            '*-h[Show help, and do nothing else]' \
            '*--help[Show help, and do nothing else]' \
            '::DIR:_files -/' \
            && return ;;
        browse)
          _arguments \
            '*--dump=[Print one frame of this size, such as 80x24, and end]:WxH: ' \
            '*--script=[Play the steps in FILE, a line each, print the frames it asks for, and end]:FILE:_files' \
            '*--no-mouse[Leave the mouse to the terminal]' \
            '*--no-animation[Let panes jump instead of slide]' \
            '*--accessible[For screen readers\: no lines, no movement, one pane at a time, and what happens is told in sentences above the status]' \
            '*--rtl[Put the panes from right to left]' \
            '*--theme=[How it looks]:NAME:(dark light high-contrast mono)' \
            '*--debug-layout[Say in the title row how the panes were arranged, and why]' \
            '*-C[Work as if started in DIR]:DIR:_files -/' \
            '*-q[Print errors only, and never ask]' \
            '*--quiet[Print errors only, and never ask]' \
            '*-v[Say more]' \
            '*--verbose[Say more]' \
            '*--json[Print one JSON object a line]' \
            '*--color=[When to use colour]:MODE:(auto always never)' \
            '*-h[Show help, and do nothing else]' \
            '*--help[Show help, and do nothing else]' \
            '::DIR:_files -/' \
            && return ;;
        pause)
          _arguments \
            '*--wait=[How long to wait while another process holds the vault'\''s lock]:SECONDS: ' \
            '*--dry-run[Say what would be done, and do nothing]' \
            '*-C[Work as if started in DIR]:DIR:_files -/' \
            '*-q[Print errors only, and never ask]' \
            '*--quiet[Print errors only, and never ask]' \
            '*-v[Say more]' \
            '*--verbose[Say more]' \
            '*--json[Print one JSON object a line]' \
            '*--color=[When to use colour]:MODE:(auto always never)' \
            '*-h[Show help, and do nothing else]' \
            '*--help[Show help, and do nothing else]' \
            '::DURATION: ' \
            && return ;;
        resume)
          _arguments \
            '*--wait=[How long to wait while another process holds the vault'\''s lock]:SECONDS: ' \
            '*--dry-run[Say what would be done, and do nothing]' \
            '*-C[Work as if started in DIR]:DIR:_files -/' \
            '*-q[Print errors only, and never ask]' \
            '*--quiet[Print errors only, and never ask]' \
            '*-v[Say more]' \
            '*--verbose[Say more]' \
            '*--json[Print one JSON object a line]' \
            '*--color=[When to use colour]:MODE:(auto always never)' \
            '*-h[Show help, and do nothing else]' \
            '*--help[Show help, and do nothing else]' \
            && return ;;
        sync)
          _arguments \
            '*--all[Each of your vaults\: those that '\''verso init'\'' and '\''verso clone'\'' have made]' \
            '*--timeout=[How long all of it may take, for each vault]:DURATION: ' \
            '*--grace=[Say nothing of a remote that is out of reach for so long, and end with 0]:DURATION: ' \
            '*--allow-mass-delete[Accept the deletions that are held back, exactly those listed]' \
            '*--wait=[How long to wait while another process holds the vault'\''s lock]:SECONDS: ' \
            '*--dry-run[Say what would be done, and do nothing]' \
            '*-C[Work as if started in DIR]:DIR:_files -/' \
            '*-q[Print errors only, and never ask]' \
            '*--quiet[Print errors only, and never ask]' \
            '*-v[Say more]' \
            '*--verbose[Say more]' \
            '*--json[Print one JSON object a line]' \
            '*--color=[When to use colour]:MODE:(auto always never)' \
            '*-h[Show help, and do nothing else]' \
            '*--help[Show help, and do nothing else]' \
            '::DIR:_files -/' \
            && return ;;
        conflicts)
          _arguments \
            '*--keep=[Which version stays]:WHAT:(this copy both)' \
            '*--merge[Edit both versions in one text]' \
            '*--wait=[How long to wait while another process holds the vault'\''s lock]:SECONDS: ' \
            '*--dry-run[Say what would be done, and do nothing]' \
            '*-C[Work as if started in DIR]:DIR:_files -/' \
            '*-q[Print errors only, and never ask]' \
            '*--quiet[Print errors only, and never ask]' \
            '*-v[Say more]' \
            '*--verbose[Say more]' \
            '*--json[Print one JSON object a line]' \
            '*--color=[When to use colour]:MODE:(auto always never)' \
            '*-h[Show help, and do nothing else]' \
            '*--help[Show help, and do nothing else]' \
            '::list|resolve:(list resolve)' \
            '::PATH:_files' \
            && return ;;
        status)
          _arguments \
            '*--all[A line for each of your vaults\: those that '\''verso init'\'' has made]' \
            '*--check[End with 3 while anything is skipped, held back or in conflict]' \
            '*--max-age=[Fail where the last good synchronisation is older]:DURATION: ' \
            '*-0[End each name with a NUL byte, and write it as it is]' \
            '*-C[Work as if started in DIR]:DIR:_files -/' \
            '*-q[Print errors only, and never ask]' \
            '*--quiet[Print errors only, and never ask]' \
            '*-v[Say more]' \
            '*--verbose[Say more]' \
            '*--json[Print one JSON object a line]' \
            '*--color=[When to use colour]:MODE:(auto always never)' \
            '*-h[Show help, and do nothing else]' \
            '*--help[Show help, and do nothing else]' \
            '*:PATH:_files' \
            && return ;;
        log)
          _arguments \
            '*--since=[Only versions since WHEN]:WHEN:(now today yesterday)' \
            '*--until=[Only versions until WHEN]:WHEN:(now today yesterday)' \
            '*-n[At most N versions]:N: ' \
            '*--all[A line for each version, none folded]' \
            '*--stat[With the number of words added and removed in each file]' \
            '*--names[With the names of the files that changed]' \
            '*--digest[A summary in Markdown instead, of each day or week\: which notes are new, edited, renamed and gone]' \
            '*-0[End each name with a NUL byte, and write it as it is]' \
            '*-C[Work as if started in DIR]:DIR:_files -/' \
            '*-q[Print errors only, and never ask]' \
            '*--quiet[Print errors only, and never ask]' \
            '*-v[Say more]' \
            '*--verbose[Say more]' \
            '*--json[Print one JSON object a line]' \
            '*--color=[When to use colour]:MODE:(auto always never)' \
            '*-h[Show help, and do nothing else]' \
            '*--help[Show help, and do nothing else]' \
            '::PATH:_files' \
            && return ;;
        search)
          _arguments \
            '*--in=[Only this note or folder]:PATH:_files' \
            '*--history[Also what is in no note now]' \
            '*--regex[WORDS is a regular expression]' \
            '*--since=[Only notes changed since WHEN]:WHEN:(now today yesterday)' \
            '*--until=[Only notes not changed after WHEN]:WHEN:(now today yesterday)' \
            '*-n[At most N notes, and N passages of history]:N: ' \
            '*-C[Work as if started in DIR]:DIR:_files -/' \
            '*-q[Print errors only, and never ask]' \
            '*--quiet[Print errors only, and never ask]' \
            '*-v[Say more]' \
            '*--verbose[Say more]' \
            '*--json[Print one JSON object a line]' \
            '*--color=[When to use colour]:MODE:(auto always never)' \
            '*-h[Show help, and do nothing else]' \
            '*--help[Show help, and do nothing else]' \
            '*:WORDS: ' \
            && return ;;
        show | cat)
          _arguments \
            '*--at=[The time or version]:WHEN:(now today yesterday)' \
            '*--raw[Exact bytes on a terminal too]' \
            '*-C[Work as if started in DIR]:DIR:_files -/' \
            '*-q[Print errors only, and never ask]' \
            '*--quiet[Print errors only, and never ask]' \
            '*-v[Say more]' \
            '*--verbose[Say more]' \
            '*--json[Print one JSON object a line]' \
            '*--color=[When to use colour]:MODE:(auto always never)' \
            '*-h[Show help, and do nothing else]' \
            '*--help[Show help, and do nothing else]' \
            ':PATH:_files' \
            && return ;;
        ls)
          _arguments \
            '*--at=[The time or version]:WHEN:(now today yesterday)' \
            '*-0[End each name with a NUL byte, and write it as it is]' \
            '*-C[Work as if started in DIR]:DIR:_files -/' \
            '*-q[Print errors only, and never ask]' \
            '*--quiet[Print errors only, and never ask]' \
            '*-v[Say more]' \
            '*--verbose[Say more]' \
            '*--json[Print one JSON object a line]' \
            '*--color=[When to use colour]:MODE:(auto always never)' \
            '*-h[Show help, and do nothing else]' \
            '*--help[Show help, and do nothing else]' \
            '::PATH:_files' \
            && return ;;
        diff)
          _arguments \
            '*--from=[The older state]:WHEN:(now today yesterday)' \
            '*--to=[The newer state]:WHEN:(now today yesterday)' \
            '*--words[Mark changed words off a terminal too]' \
            '*-C[Work as if started in DIR]:DIR:_files -/' \
            '*-q[Print errors only, and never ask]' \
            '*--quiet[Print errors only, and never ask]' \
            '*-v[Say more]' \
            '*--verbose[Say more]' \
            '*--json[Print one JSON object a line]' \
            '*--color=[When to use colour]:MODE:(auto always never)' \
            '*-h[Show help, and do nothing else]' \
            '*--help[Show help, and do nothing else]' \
            '::PATH:_files' \
            && return ;;
        who)
          _arguments \
            '*--at=[The note as of WHEN]:WHEN:(now today yesterday)' \
            '*--lines=[Only these lines]:A-B: ' \
            '*-C[Work as if started in DIR]:DIR:_files -/' \
            '*-q[Print errors only, and never ask]' \
            '*--quiet[Print errors only, and never ask]' \
            '*-v[Say more]' \
            '*--verbose[Say more]' \
            '*--json[Print one JSON object a line]' \
            '*--color=[When to use colour]:MODE:(auto always never)' \
            '*-h[Show help, and do nothing else]' \
            '*--help[Show help, and do nothing else]' \
            ':PATH:_files' \
            && return ;;
        activity)
          _arguments \
            '*--since=[Only since WHEN]:WHEN:(now today yesterday)' \
            '*--until=[Only until WHEN]:WHEN:(now today yesterday)' \
            '*--stat[With the number of words added and removed]' \
            '*-C[Work as if started in DIR]:DIR:_files -/' \
            '*-q[Print errors only, and never ask]' \
            '*--quiet[Print errors only, and never ask]' \
            '*-v[Say more]' \
            '*--verbose[Say more]' \
            '*--json[Print one JSON object a line]' \
            '*--color=[When to use colour]:MODE:(auto always never)' \
            '*-h[Show help, and do nothing else]' \
            '*--help[Show help, and do nothing else]' \
            '::PATH:_files' \
            && return ;;
        restore)
          _arguments \
            '*--at=[The time or version to bring back]:WHEN:(now today yesterday)' \
            '*--as=[Write to PATH2, and leave PATH alone]:PATH2:_files' \
            '*--lines=[Put only these lines of the old version back, at their place in today'\''s note]:A-B: ' \
            '*--exact[Remove what a folder did not have then]' \
            '*-y[Do not ask]' \
            '*--yes[Do not ask]' \
            '*--wait=[How long to wait while another process holds the vault'\''s lock]:SECONDS: ' \
            '*--dry-run[Say what would be done, and do nothing]' \
            '*-C[Work as if started in DIR]:DIR:_files -/' \
            '*-q[Print errors only, and never ask]' \
            '*--quiet[Print errors only, and never ask]' \
            '*-v[Say more]' \
            '*--verbose[Say more]' \
            '*--json[Print one JSON object a line]' \
            '*--color=[When to use colour]:MODE:(auto always never)' \
            '*-h[Show help, and do nothing else]' \
            '*--help[Show help, and do nothing else]' \
            ':PATH:_files' \
            && return ;;
        undo)
          _arguments \
            '*--merge[Take back what the last sync brought from other devices, on every device]' \
            '*-y[With --merge\: do not ask]' \
            '*--yes[With --merge\: do not ask]' \
            '*--wait=[How long to wait while another process holds the vault'\''s lock]:SECONDS: ' \
            '*--dry-run[Say what would be done, and do nothing]' \
            '*-C[Work as if started in DIR]:DIR:_files -/' \
            '*-q[Print errors only, and never ask]' \
            '*--quiet[Print errors only, and never ask]' \
            '*-v[Say more]' \
            '*--verbose[Say more]' \
            '*--json[Print one JSON object a line]' \
            '*--color=[When to use colour]:MODE:(auto always never)' \
            '*-h[Show help, and do nothing else]' \
            '*--help[Show help, and do nothing else]' \
            && return ;;
        redo)
          _arguments \
            '*--wait=[How long to wait while another process holds the vault'\''s lock]:SECONDS: ' \
            '*--dry-run[Say what would be done, and do nothing]' \
            '*-C[Work as if started in DIR]:DIR:_files -/' \
            '*-q[Print errors only, and never ask]' \
            '*--quiet[Print errors only, and never ask]' \
            '*-v[Say more]' \
            '*--verbose[Say more]' \
            '*--json[Print one JSON object a line]' \
            '*--color=[When to use colour]:MODE:(auto always never)' \
            '*-h[Show help, and do nothing else]' \
            '*--help[Show help, and do nothing else]' \
            && return ;;
        export)
          _arguments \
            '*--at=[The time or version]:WHEN:(now today yesterday)' \
            '*--dry-run[Say what would be written, and write nothing]' \
            '*-C[Work as if started in DIR]:DIR:_files -/' \
            '*-q[Print errors only, and never ask]' \
            '*--quiet[Print errors only, and never ask]' \
            '*-v[Say more]' \
            '*--verbose[Say more]' \
            '*--json[Print one JSON object a line]' \
            '*--color=[When to use colour]:MODE:(auto always never)' \
            '*-h[Show help, and do nothing else]' \
            '*--help[Show help, and do nothing else]' \
            ':DIR:_files -/' \
            '::PATH:_files' \
            && return ;;
        schedule)
          _arguments \
            '*--every=[How often]:DURATION: ' \
            '*--watch[Run '\''verso watch'\'' as a service instead]' \
            '*--systemd[By systemd, and nothing else]' \
            '*--cron[By cron, and nothing else]' \
            '*--print[Print what would be installed, and do nothing]' \
            '*--wait=[How long to wait while another process holds the vault'\''s lock]:SECONDS: ' \
            '*--dry-run[Say what would be done, and do nothing]' \
            '*-C[Work as if started in DIR]:DIR:_files -/' \
            '*-q[Print errors only, and never ask]' \
            '*--quiet[Print errors only, and never ask]' \
            '*-v[Say more]' \
            '*--verbose[Say more]' \
            '*--json[Print one JSON object a line]' \
            '*--color=[When to use colour]:MODE:(auto always never)' \
            '*-h[Show help, and do nothing else]' \
            '*--help[Show help, and do nothing else]' \
            ':ACTION:(add remove list)' \
            '::DIR:_files -/' \
            && return ;;
        doctor)
          _arguments \
            '*--fix[Mend what is provably safe to mend, and say what was done]' \
            '*--wait=[How long to wait while another process holds the vault'\''s lock]:SECONDS: ' \
            '*--dry-run[Say what would be done, and do nothing]' \
            '*-C[Work as if started in DIR]:DIR:_files -/' \
            '*-q[Print errors only, and never ask]' \
            '*--quiet[Print errors only, and never ask]' \
            '*-v[Say more]' \
            '*--verbose[Say more]' \
            '*--json[Print one JSON object a line]' \
            '*--color=[When to use colour]:MODE:(auto always never)' \
            '*-h[Show help, and do nothing else]' \
            '*--help[Show help, and do nothing else]' \
            '::DIR:_files -/' \
            && return ;;
        compact)
          _arguments \
            '*--wait=[How long to wait while another process holds the vault'\''s lock]:SECONDS: ' \
            '*--dry-run[Say what would be done, and do nothing]' \
            '*-C[Work as if started in DIR]:DIR:_files -/' \
            '*-q[Print errors only, and never ask]' \
            '*--quiet[Print errors only, and never ask]' \
            '*-v[Say more]' \
            '*--verbose[Say more]' \
            '*--json[Print one JSON object a line]' \
            '*--color=[When to use colour]:MODE:(auto always never)' \
            '*-h[Show help, and do nothing else]' \
            '*--help[Show help, and do nothing else]' \
            && return ;;
        completions)
          _arguments \
            '*-C[Work as if started in DIR]:DIR:_files -/' \
            '*-q[Print errors only, and never ask]' \
            '*--quiet[Print errors only, and never ask]' \
            '*-v[Say more]' \
            '*--verbose[Say more]' \
            '*--json[Print one JSON object a line]' \
            '*--color=[When to use colour]:MODE:(auto always never)' \
            '*-h[Show help, and do nothing else]' \
            '*--help[Show help, and do nothing else]' \
            ':SHELL:(bash zsh fish)' \
            && return ;;
        help)
          _arguments \
            '*-C[Work as if started in DIR]:DIR:_files -/' \
            '*-q[Print errors only, and never ask]' \
            '*--quiet[Print errors only, and never ask]' \
            '*-v[Say more]' \
            '*--verbose[Say more]' \
            '*--json[Print one JSON object a line]' \
            '*--color=[When to use colour]:MODE:(auto always never)' \
            '*-h[Show help, and do nothing else]' \
            '*--help[Show help, and do nothing else]' \
            '::TOPIC:(init clone forget save watch browse pause resume sync conflicts status log search show ls diff who activity restore undo redo export schedule doctor compact completions help when json man)' \
            && return ;;
      esac
      ;;
  esac
}

if [[ $funcstack[1] == _verso ]]; then
  _verso "$@"
else
  compdef _verso verso
fi
