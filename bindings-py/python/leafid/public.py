"""Public IDs: short texts that reveal neither how many IDs there are nor when they were made.

    from leafid.public import Scrambler
    orders = Scrambler(key, "orders", prefix="order")   # key: 16 or 32 random bytes
    orders.encode(1001)                                 # "order_" and 11 digits
    orders.decode("order_…")                            # 1001
"""

from ._native import Scrambler, base58, base62, parse_base58, parse_base62

__all__ = ["Scrambler", "base58", "base62", "parse_base58", "parse_base62"]
