"""What somebody meant whose words are none of the command's. Another program's words for the same
thing are in `server/src/cli/guess.rs`, and both are asked the same: `tests/commands/guesses.json`."""

from __future__ import annotations

import re

# What other programs call a verb.
_VERBS = {
    **dict.fromkeys(("start", "run", "server", "up", "listen"), ("serve",)),
    **dict.fromkeys(("id", "ids", "gen", "generate", "get"), ("next",)),
    **dict.fromkeys(("create", "new", "add"), ("tag", "create")),
    **dict.fromkeys(("tags", "list", "ls"), ("tag", "list")),
    **dict.fromkeys(("delete", "rm", "remove"), ("tag", "delete")),
    "namespaces": ("namespace", "list"),
    "workers": ("worker", "list"),
}
_OF_TAG = {
    **dict.fromkeys(("add", "new", "make"), "create"),
    **dict.fromkeys(("ls", "all", "show"), "list"),
    **dict.fromkeys(("rm", "remove", "drop"), "delete"),
    **dict.fromkeys(("update", "change", "alter"), "set"),
}
# Verbs that the package does not have.
NOT_HERE = frozenset((
    "apply", "backup", "completions", "config", "health", "lease", "man", "migrate", "namespace",
    "openapi", "repair", "serve", "token", "version", "worker",
))  # fmt: skip
_STORES = ("--db", "--database", "--url", "--file", "--path")
_HOSTS = ("--host", "--bind", "--address", "--addr")
_COUNTS = ("-c", "--number", "--num", "--amount")


def meant(words: list[str]) -> str | None:
    """The command that was meant, as it is typed; `None` for words that tell nothing."""
    given = list(words)
    if not given:
        return None
    verb = [*_VERBS.get(given[0], (given[0],))]
    rest = given[1:]
    if verb == ["tag"] and rest:
        verb, rest = ["tag", _OF_TAG.get(rest[0], rest[0])], rest[1:]
    pairs = [part for word in rest for part in _apart(word)]
    guess = {"serve": _serve, "init": _serve, "next": _next}.get(verb[0])
    guessed = [*verb, *(pairs if guess is None else guess(pairs))]
    if guessed == given:
        return None
    return " ".join(["leafid", *map(_typed, guessed)])


def _typed(word: str) -> str:
    """A word as a shell takes it, without a password."""
    word = re.sub(r"^(\w+://[^:@/]*):.*@", r"\1:***@", word)
    if "://" in word:
        word = re.sub(r"\?.*", "?…", word)
    return word if re.fullmatch(r"[\w@%+=:,./…*-]+", word) else f"'{word}'"


def _apart(word: str) -> list[str]:
    option, is_value, value = word.partition("=")
    return [option, value] if is_value and option.startswith("--") else [word]


def _serve(words: list[str]) -> list[str]:
    host, port, others, at = "", "", [], 0
    while at < len(words):
        word, value = words[at], words[at + 1] if at + 1 < len(words) else ""
        at += 2
        if word in ("--port", "-p"):
            port = value
        elif word in _HOSTS:
            host = value
        elif word in _STORES:
            others += ["--store", value]
        elif _is_store(word) and (at < 3 or not words[at - 3].startswith("--")):
            others += ["--store", word]
            at -= 1
        else:
            others.append(word)
            at -= 1
    if host or port:
        listen = host if ":" in host and not port else f"{host or '127.0.0.1'}:{port or 8750}"
        others += ["--listen", listen]
    return others


def _is_store(word: str) -> bool:
    return not word.startswith("-") and (":" in word or "/" in word or word.endswith((".db", ".sqlite")))


def _next(words: list[str]) -> list[str]:
    words = ["--count" if word in _COUNTS else word for word in words]
    if len(words) == 2 and words[1].isdigit():
        words.insert(1, "--count")
    return words
