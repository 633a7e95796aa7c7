/**
 * The scripts that make a shell complete the command. Each passes what was typed as arguments, and treats the answer,
 * lines of a value and its description, as data: neither is ever evaluated.
 */

const bash = `_muster_completion() {
  local line="\${COMP_LINE:0:COMP_POINT}" word prefix='' value
  local -a words
  read -ra words <<< "$line"
  case "$line" in *[[:space:]]) words+=('') ;; esac
  word="\${words[\${#words[@]}-1]}"
  # Readline also splits words at characters such as =, and replaces only the last part.
  case "$word" in *"$2") prefix="\${word%"$2"}" ;; esac
  COMPREPLY=()
  while IFS=$'\\t' read -r value _; do
    COMPREPLY+=("\${value#"$prefix"}")
  done < <("$1" completion words "\${words[@]:1}" 2>/dev/null)
}
complete -o default -F _muster_completion muster svc`;

const zsh = `_muster_completion() {
  local value text
  local -a before values shown
  before=("\${(@Q)words[2,CURRENT]}")
  before[-1]="$PREFIX"
  while IFS=$'\\t' read -r value text; do
    values+=("$value")
    shown+=("$value\${text:+  -- $text}")
  done < <("\${(Q)words[1]}" completion words "\${(@)before}" 2>/dev/null)
  if (( $#values )); then compadd -l -d shown -a values; else _files; fi
}
(( $+functions[compdef] )) || { autoload -Uz compinit && compinit -i; }
compdef _muster_completion muster svc`;

const fish = `function __muster_completion
    set -l words (commandline -opc)
    set -l current (commandline -ct)
    set -l program $words[1]
    set -e words[1]
    set -l found ($program completion words $words "$current" 2>/dev/null)
    if test (count $found) -gt 0
        printf '%s\\n' $found
    else
        __fish_complete_path "$current"
    end
end
complete -c muster -f -a '(__muster_completion)'
complete -c svc -f -a '(__muster_completion)'`;

// Old versions of PowerShell drop an empty argument, so two quotation marks stand for it.
const powershell = `Register-ArgumentCompleter -Native -CommandName muster, svc -ScriptBlock {
  param($wordToComplete, $commandAst, $cursorPosition)
  $words = @($commandAst.CommandElements | Where-Object { $_.Extent.EndOffset -lt $cursorPosition } | ForEach-Object { $_.Extent.Text })
  $before = @($words | Select-Object -Skip 1)
  $current = if ($wordToComplete) { $wordToComplete } else { '""' }
  & $words[0] completion words @before $current 2>$null | ForEach-Object {
    $value, $text = $_ -split [char]9, 2
    if (-not $text) { $text = $value }
    [System.Management.Automation.CompletionResult]::new($value, $value, 'ParameterValue', $text)
  }
}`;

export const scripts = { bash, zsh, fish, powershell } as const;
