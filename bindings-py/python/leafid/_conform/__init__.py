"""What a store must do, checked on a store: `leafid.testing.conform`."""

from typing import Any

from . import segments, windows  # noqa: F401  They add their checks.
from .checks import CHECKS, Failed, Skipped, check, that
from .subject import Subject

__all__ = ["DoesNotConform", "conform"]


class DoesNotConform(AssertionError):
    """A store does not what a store must do. `failed` has what was found, by the name of the check."""

    def __init__(self, failed: dict[str, str], passed: list[str]) -> None:
        lines = [f"{len(failed)} of {len(failed) + len(passed)} checks failed:"]
        lines += [f"- {name}: {what}" for name, what in failed.items()]
        super().__init__("\n".join(lines))
        self.failed, self.passed = failed, passed


@check("time-never-back", ())
def _time(subject: Subject) -> None:
    that(not subject.backwards, f"the store's time goes back: {subject.backwards}")


def conform(
    store: Any,
    *,
    tag: str = "conform",
    namespace: str = "conform",
    clock: Any = None,
    again: Any = None,
) -> list[str]:
    """Checks that a store does what a store must do; the names of the checks that it passed.

    `store` is an object with the methods of a store, or a URL. It must have `tag` and `namespace`,
    which nobody else uses; they are created where the store has `create_tag` and `create_namespace`.
    A run leaves the tag stopped, as by a holder's proof: use a fresh one for the next. Where the store
    tells the time by a `leafid.testing.Clock`, pass it as `clock`: it is moved by hand. Else the checks
    wait, for a few seconds at most. `again` makes another object for the same store, as another process
    would have it.

    `DoesNotConform` tells every check that failed, and why.
    """
    subject = Subject(store, tag, namespace, clock, again)
    failed: dict[str, str] = {}
    passed: list[str] = []
    for name, needs, check in CHECKS:
        if not subject.has(needs):
            continue
        try:
            check(subject)
        except Skipped:
            continue
        except Failed as why:
            failed[name] = str(why)
        except Exception as error:
            failed[name] = f"`{type(error).__name__}: {error}` was raised"
        else:
            passed.append(name)
        finally:
            subject.clean()
    if failed:
        raise DoesNotConform(failed, passed)
    return passed
