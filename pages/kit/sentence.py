"""Cuts a sentence into words, in any script."""

import re
import unicodedata

LONGEST = 200
# Scripts written without spaces are cut where Japanese breathes: a stem of Han or katakana with the hiragana behind it.
HAN = "\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff々〆ヶ"
HIRAGANA = "\u3041-\u309f"
KATAKANA = "\u30a1-\u30ff\u31f0-\u31ff\uff66-\uff9f"
UNSPACED = re.compile(f"[{KATAKANA}]+[{HIRAGANA}]*|[{HAN}]+[{HIRAGANA}]*|[{HIRAGANA}]+|[^{HAN}{HIRAGANA}{KATAKANA}]+")
ONE_HAN = re.compile(f"[{HAN}]|[^{HAN}]+")
KANA = re.compile(f"[{HIRAGANA}{KATAKANA}]")


def split(text: str) -> list[str]:
    """The words of `text` (its first LONGEST characters); punctuation stays with the word before it.

    Spaces part words. Japanese is cut before each stem, Chinese (Han without kana) at each character.
    """
    visible = "".join(" " if unicodedata.category(c) in ("Cc", "Cs", "Zl", "Zp") else c for c in text[:LONGEST])
    unspaced = UNSPACED if KANA.search(visible) else ONE_HAN
    pieces = [piece for chunk in visible.split() for piece in unspaced.findall(chunk)]
    words: list[str] = []
    for piece in pieces:
        if words and all(unicodedata.category(c)[0] in "PM" for c in piece):
            words[-1] += piece
        else:
            words.append(piece)
    return words
