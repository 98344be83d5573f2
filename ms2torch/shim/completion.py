"""``ms2torch completion bash``: a script that completes the command line, made from the commands' parsers.

    eval "$(ms2torch completion bash)"        in ~/.bashrc; zsh alike
    ms2torch completion fish | source         in config.fish

Words and files are completed without starting Python.
"""

from __future__ import annotations

import argparse

from ms2torch import cli

SHELLS = ("bash", "zsh", "fish")

_BASH = """\
_ms2torch() {{
    local word="${{COMP_WORDS[COMP_CWORD]}}" before="${{COMP_WORDS[COMP_CWORD-1]}}" command="run" words="" i
    for ((i = 1; i < COMP_CWORD; i++)); do
        case "${{COMP_WORDS[i]}}" in {alternatives}) command="${{COMP_WORDS[i]}}"; break;; esac
    done
    case "$command $before" in
{values}
    esac
    if [[ -z "$words" ]]; then
        case "$command" in
{options}
        esac
        if [[ $COMP_CWORD -eq 1 && "$word" != -* ]]; then words="{commands}"
        elif [[ "$word" != -* ]]; then words=""; fi
    fi
    COMPREPLY=($(compgen -W "$words" -- "$word") $(compgen -f -- "$word"))
}}
complete -o filenames -F _ms2torch ms2torch
"""
_ZSH = "autoload -U +X bashcompinit && bashcompinit\n"


def _actions(name: str) -> list[argparse.Action]:
    """The options of a command, and those of its verbs."""
    found, todo = [], [cli.find(cli.COMMANDS[name].parser)()]
    while todo:
        for action in todo.pop()._actions:
            if isinstance(action, argparse._SubParsersAction):
                todo += action.choices.values()
            found.append(action)
    return [action for action in found if action.help != argparse.SUPPRESS]


def _choices(action: argparse.Action) -> list[str]:
    return [str(choice) for choice in action.choices or ()]


def bash() -> str:
    """Completion of bash: commands, then the options of each, then their choices, and files."""
    values, options = [], []
    for name in cli.COMMANDS:
        actions = _actions(name)
        words = [o for action in actions for o in action.option_strings]
        verbs = [c for action in actions if not action.option_strings for c in _choices(action)]
        if verbs:
            values.append(f'        "{name} {name}") [[ "$word" == -* ]] || words="{" ".join(verbs)}";;')
        options.append(f'            {name}) words="{" ".join(dict.fromkeys(words))}";;')
        for action in actions:
            for option in action.option_strings if action.choices else ():
                values.append(f'        "{name} {option}") words="{" ".join(_choices(action))}";;')
    names = list(cli.COMMANDS)
    return _BASH.format(
        alternatives="|".join(names),
        commands=" ".join(names),
        values="\n".join(values),
        options="\n".join(options),
    )


def zsh() -> str:
    """zsh reads bash's."""
    return _ZSH + bash()


def fish() -> str:
    """Completion of fish, with what each command and option is for."""
    def quoted(text: str) -> str:
        return "'" + text.replace("\\", "\\\\").replace("'", "\\'") + "'"

    lines = []
    for name, command in cli.COMMANDS.items():
        lines.append(f"complete -c ms2torch -n __fish_use_subcommand -a {name} -d {quoted(command.help)}")
        where = f"'__fish_seen_subcommand_from {name}'"
        for action in _actions(name):
            given = [f"-{'l' if o.startswith('--') else 's'} {o.lstrip('-')}" for o in action.option_strings]
            if _choices(action):
                given.append(f"-{'x' if action.option_strings else ''}a {quoted(' '.join(_choices(action)))}")
            elif action.option_strings and action.nargs != 0:
                given.append("-r")
            if given:
                help = (action.help or "").replace("%%", "%")
                lines.append(f"complete -c ms2torch -n {where} {' '.join(given)} -d {quoted(help)}")
    return "\n".join(lines) + "\n"


def parser() -> argparse.ArgumentParser:
    """The argument of ``ms2torch completion``."""
    found = cli.Parser(
        "ms2torch completion",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    found.add_argument("shell", choices=SHELLS)
    return found


def main(argv: list[str]) -> int:
    """Print the script for a shell."""
    print({"bash": bash, "zsh": zsh, "fish": fish}[parser().parse_args(argv).shell](), end="")
    return 0
