"""The school's own accounts: who has which name in the roster, and where the school asks for its passwords."""

import json
import os
import unicodedata
import urllib.request
from pathlib import Path

SECRETS = ("OAUTH_CLIENT_ID", "OAUTH_CLIENT_SECRET")  # variables of the environment; no command line shows them
_ASKED = {"authorization_endpoint": "authorize_url", "token_endpoint": "token_url", "userinfo_endpoint": "userdata_url"}


def folded(account: str) -> str:
    """Return an account in one spelling: without capitals, and with each umlaut written in one way."""
    return unicodedata.normalize("NFC", unicodedata.normalize("NFC", account).casefold())


def names(path: Path) -> dict[str, str]:
    """Return the name in the roster of each account, folded: the second word of a line, or the name itself.

    Raises:
        ValueError: two lines name one account.
    """
    found = {}
    for number, line in enumerate(Path(path).read_text(encoding="utf-8").splitlines(), 1):
        words = line.partition("#")[0].removeprefix("teacher:").split()
        if words and folded(words[-1]) in found:
            raise ValueError(f"{path}, line {number}: the account {words[-1]!r} appears twice.")
        if words:
            found[folded(words[-1])] = words[0]
    return found


def endpoints(provider: str) -> dict[str, str]:
    """Ask a provider of OpenID Connect for its addresses, and return them as the hub's authenticator calls them.

    Raises:
        ValueError: it does not answer as such a provider does, or a secret is missing in the environment.
    """
    missing = [name for name in SECRETS if not os.environ.get(name)]
    if missing:
        raise ValueError(f"--sign-on needs {' and '.join(missing)} in the environment, as the provider gave them.")
    address = f"{provider.rstrip('/')}/.well-known/openid-configuration"
    try:
        with urllib.request.urlopen(address, timeout=20) as answer:
            told = json.load(answer)
        return {here: told[there] for there, here in _ASKED.items()}
    except (OSError, ValueError, KeyError) as error:
        raise ValueError(f"{address} does not say how to sign on: {type(error).__name__} {error}.") from None
