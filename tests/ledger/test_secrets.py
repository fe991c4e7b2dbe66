"""Passwords in the address of a ledger are in no message, wherever they stand."""

from __future__ import annotations

import pytest

from accountant import Ledger, LedgerError

SECRET = "s3cret"
ADDRESSES = (
    "postgresql://alice:{}@127.0.0.1:1/db",
    "postgresql://alice:{}@127.0.0.1:port/db",
    "postgresql://alice:a@{}@127.0.0.1:1/db",
    "postgresql://127.0.0.1:1/db?password={}",
    "postgresql://127.0.0.1:1/db?user=a&passwd={}&sslpassword={}",
    "postgresql://127.0.0.1:1/db?pwd={}",
    "mysql://alice:{}@127.0.0.1/db",
)


@pytest.mark.parametrize("address", ADDRESSES)
def test_a_password_is_never_told(address: str) -> None:
    with pytest.raises(LedgerError) as refused:
        Ledger.open(address.replace("{}", SECRET))
    error: BaseException | None = refused.value
    assert SECRET not in str(error)
