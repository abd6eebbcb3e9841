"""Names from Arabic and Hebrew on a page: which stand in a line with other text that they would turn round."""

from __future__ import annotations

from selenium.webdriver import Chrome

ARABIC, HEBREW = "محمد الفلاني (1)", "דוד כהן 2"
MIXED = r"""
const right = /[\u0590-\u08ff]/;
const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
const found = [];
for (let one = texts.nextNode(); one; one = texts.nextNode()) {
  const at = one.data.search(right);
  if (at < 0 || one.parentElement.closest("script, style, template, textarea, bdi, [dir=auto]")) continue;
  const before = one.data.slice(0, at);
  if (before.split("\u2068").length <= before.split("\u2069").length) found.push(one.data.trim());
}
for (const field of document.querySelectorAll("input, textarea"))
  if (right.test(field.value) && field.type !== "hidden" && field.dir !== "auto") found.push(field.outerHTML);
return found;
"""


def find_mixed(chromium: Chrome) -> list[str]:
    """Texts in which a name from the right stands apart from nothing."""
    found: list[str] = chromium.execute_script(MIXED)  # type: ignore[no-untyped-call]
    return found


def has_names(chromium: Chrome) -> bool:
    """Whether a name from the right is on the page at all."""
    text: str = chromium.execute_script("return document.body.innerText")  # type: ignore[no-untyped-call]
    return any("\u0590" <= letter <= "\u08ff" for letter in text)
