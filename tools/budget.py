"""What a chapter's page costs a reader: ``python -m tools.budget`` prints a table of the built site.

The time is from the first request until the first exercise can be answered, on a processor four times as
slow and a line of 9 Mbit/s that takes 60 ms each way.
"""

import sys
import threading
from dataclasses import dataclass

from playwright.sync_api import Browser, sync_playwright

from tools.browser import installed
from tools.serve import SITE, server

__all__ = ["HEAD", "Cost", "measure"]

SLOWER = 4
LINE = {"offline": False, "latency": 120, "downloadThroughput": 9e6 / 8, "uploadThroughput": 9e6 / 8}
HEAD = "| page | bytes | requests | exercise after | third party | errors |\n| --- |" + " --: |" * 5
READY = """new MutationObserver((_, watch) => {
  if (!document.querySelector("[data-exercise]")) return;
  window.exerciseAfter = performance.now();
  watch.disconnect();
}).observe(document, { childList: true, subtree: true });"""


@dataclass(frozen=True)
class Cost:
    """One first visit. size: bytes received, not compressed. seconds: None where the page has no exercise."""

    page: str
    size: int
    requests: int
    seconds: float | None
    outside: tuple[str, ...]
    errors: tuple[str, ...]

    def __str__(self):
        after = "-" if self.seconds is None else f"{self.seconds:.1f} s"
        counts = f"{len(self.outside)} | {len(self.errors)}"
        return f"| {self.page} | {self.size:,} | {self.requests} | {after} | {counts} |"


def measure(browser: Browser, home: str, page: str, *, slow: bool = True) -> Cost:
    """A first visit to ``page`` of the site at ``home``, with empty storage; ``slow`` as above."""
    context = browser.new_context()
    context.add_init_script(READY)
    view = context.new_page()
    requests, errors, sizes = [], [], []
    view.on("request", lambda request: requests.append(request.url))
    view.on("console", lambda message: message.type == "error" and errors.append(message.text))
    view.on("pageerror", lambda error: errors.append(str(error)))
    devtools = context.new_cdp_session(view)
    devtools.send("Network.enable")
    devtools.on("Network.dataReceived", lambda event: sizes.append(event["dataLength"]))
    if slow:
        devtools.send("Network.emulateNetworkConditions", LINE)
        devtools.send("Emulation.setCPUThrottlingRate", {"rate": SLOWER})
    view.goto(f"{home}/{page}", wait_until="networkidle", timeout=120_000)
    after = view.evaluate("window.exerciseAfter ?? null")
    context.close()
    sent = [url for url in requests if not url.startswith(("data:", "blob:"))]
    outside = tuple(url for url in sent if not url.startswith(f"{home}/"))
    return Cost(page, sum(sizes), len(sent), after and after / 1000, outside, tuple(errors))


def main():
    if not (SITE / "index.html").exists():
        print("The site is not built: run make site.")
        return 1
    pages = sorted(path.relative_to(SITE).as_posix() for path in SITE.glob("notebooks/*.html"))
    with server(ports=(0,)) as http, sync_playwright() as playwright:
        threading.Thread(target=http.serve_forever, daemon=True).start()
        browser = playwright.chromium.launch(executable_path=installed(), args=["--no-sandbox"])
        print(HEAD)
        for page in pages:
            print(measure(browser, f"http://127.0.0.1:{http.server_port}", page), flush=True)
        browser.close()
        http.shutdown()
    return 0


if __name__ == "__main__":
    sys.exit(main())
