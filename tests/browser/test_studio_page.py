"""The studio in a real browser: from a file to an export, on a desk and a phone, in several scripts."""

from __future__ import annotations

import os
import re
import shutil
import socket
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

pytest.importorskip("fastapi", reason="the explore extra is not installed")
playwright = pytest.importorskip("playwright.sync_api", reason="playwright is not installed (the dev extra has it)")
uvicorn = pytest.importorskip("uvicorn", reason="the explore extra is not installed")

from binyan.ngram.kneser_ney import KneserNey  # noqa: E402
from binyan.studio.project import Project  # noqa: E402
from binyan.studio.server import create_app  # noqa: E402
from binyan.studio.supervisor import Supervisor  # noqa: E402
from binyan.studio.workbench import Workbench  # noqa: E402
from studio_world import WORDS, learnt, made_project  # noqa: E402

CHROMIUM = next((p for p in map(shutil.which, ("chromium", "chromium-browser", "google-chrome", "chrome")) if p), None)
FLAGS = "--no-sandbox --disable-gpu --disable-quic --no-first-run --disable-background-networking --disable-component-update --disable-sync"
ROOTS = ("كتب", "درس", "علم", "سمع", "جلس", "فتح", "ذهب", "حمل")
ARABIC = [w for r in ROOTS for w in (r, f"{r[0]}ا{r[1:]}", f"م{r[:2]}و{r[2]}", f"ي{r}", f"{r}وا", f"ال{r[0]}ا{r[1:]}")]
STEMS = ("sulat", "basa", "bili", "takbo", "luto", "sayaw", "kain", "laro")
TAGALOG = [
    w
    for s in STEMS
    for w in (s, f"{s[0]}um{s[1:]}" if s[0] not in "aeiou" else f"um{s}", f"{s[:2]}{s}", f"{s[0]}um{s[1]}{s}", f"i{s}")
]
LISTS = {"english": (WORDS, "affixes", "walked", "ltr"), "arabic": (ARABIC, "root", "مكتوب", "rtl"), "tagalog": (TAGALOG, "infix", "sumulat", "ltr")}  # fmt: skip
DESK = {"viewport": {"width": 1200, "height": 850}}
PHONE = {"viewport": {"width": 390, "height": 800}, "has_touch": True, "is_mobile": True}
DEVICES = {"desk": DESK, "phone": PHONE}
ALL_WAYS = bool(os.environ.get("BINYAN_STUDIO_WAYS"))
PICTURES = os.environ.get("BINYAN_STUDIO_PICTURES")
TOUR = {
    "words-english-desk": "words", "grammar-tagalog-desk": "grammar", "corrections": "learning", "review-english-desk": "review",
    "drawing-arabic-phone": "phone", "results-english-desk": "results",
}  # fmt: skip
pytestmark = [
    pytest.mark.skipif(CHROMIUM is None, reason="no Chromium on this machine (apt-get install chromium)"),
    pytest.mark.filterwarnings("ignore::UserWarning"),
    pytest.mark.posix,
]


class Studio:
    """A running studio over an empty project, its worker in a process of its own."""

    def __init__(self, folder: Path, learns: bool = True) -> None:
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            port = free.getsockname()[1]
        self.project = Project(folder)
        self.supervisor = Supervisor(folder) if learns else None
        if self.supervisor is not None:
            self.supervisor.start()
        self._server = uvicorn.Server(
            uvicorn.Config(
                create_app(Workbench(self.project)), port=port, log_level="warning", timeout_graceful_shutdown=1
            )
        )
        self._thread = threading.Thread(target=self._server.run, daemon=True)
        self._thread.start()
        while not self._server.started:
            time.sleep(0.05)
        self.address = f"http://127.0.0.1:{port}/"

    def stop(self) -> None:
        self._server.should_exit = True
        self._thread.join(10)
        if self.supervisor is not None:
            self.supervisor.stop()
        self.project.close()


@pytest.fixture(scope="module")
def learnt_project(tmp_path_factory) -> Path:
    """A project of English words with one run."""
    folder = tmp_path_factory.mktemp("learnt") / "project"
    project = made_project(folder)
    learnt(project)
    project.close()
    return folder


@pytest.fixture
def studio(tmp_path, monkeypatch, request) -> Iterator[Studio]:
    """A studio over an empty project; parametrised with False, over a copy of the learnt one, without a worker."""
    folder, learns = tmp_path / "project", getattr(request, "param", True)
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join(sys.path))
    if not learns:
        shutil.copytree(request.getfixturevalue("learnt_project"), folder)
    made = Studio(folder, learns)
    yield made
    made.stop()


on_learnt_words = pytest.mark.parametrize("studio", [False], indirect=True, ids=["learnt"])


@pytest.fixture(scope="module")
def browser() -> Iterator[playwright.Browser]:
    with playwright.sync_playwright() as driver:
        started = driver.chromium.launch(executable_path=CHROMIUM, args=FLAGS.split())
        yield started
        started.close()


@pytest.fixture
def opened(browser, studio) -> Iterator[object]:
    """Opens pages; a test fails on errors in one and on requests to any other place."""
    faults: list[str] = []
    contexts = []

    def open_page(settings: dict[str, object] = DESK, language: str = "en") -> playwright.Page:
        context = browser.new_context(**settings, locale=language)
        contexts.append(context)
        context.set_default_timeout(30_000)
        page = context.new_page()
        page.on("pageerror", lambda error: faults.append(str(error)))
        page.on(
            "request", lambda r: None if r.url.startswith((studio.address, "data:", "blob:")) else faults.append(r.url)
        )
        page.goto(studio.address)
        page.wait_for_selector("#drop, #detail h2, #kind-affixes")
        return page

    yield open_page
    for context in contexts:
        context.close()
    assert faults == []


def picture(page, name: str) -> None:
    """Keep a picture of the tour in the folder that BINYAN_STUDIO_PICTURES names, if it does."""
    if PICTURES and name in TOUR:
        page.screenshot(path=str(Path(PICTURES) / f"studio-{TOUR[name]}.png"))


def add_words(page, words: list[str], name: str = "words.txt") -> None:
    page.set_input_files("#file", files=[{"name": name, "mimeType": "text/plain", "buffer": "\n".join(words).encode()}])
    page.wait_for_selector("#to-grammar")


def learn(page, kind: str, sweeps: int = 20) -> None:
    page.click("#tab-grammar")
    page.locator(f"#kind-{kind} button").click()
    page.fill("#sweeps", str(sweeps))
    page.click("#learn")
    page.wait_for_selector("#run-1[data-state=done]")


def whole_ways() -> list[object]:
    """Every language on every device with `make studio`; each language on one device else."""
    usual = {("english", "desk"), ("arabic", "phone"), ("tagalog", "desk")}
    rare = pytest.mark.skipif(not ALL_WAYS, reason="`make studio` goes all ways")
    return [
        pytest.param(language, size, marks=() if (language, size) in usual else rare)
        for language in LISTS
        for size in DEVICES
    ]


@pytest.mark.parametrize(("language", "size"), whole_ways())
def test_from_a_file_to_an_export(opened, studio, language, size):
    words, kind, example, direction = LISTS[language]
    page = opened(DEVICES[size])
    add_words(page, words)
    assert f"{len(set(words))} different words" in page.inner_text("#project")
    picture(page, f"words-{language}-{size}")
    page.click("#to-grammar")
    page.wait_for_selector(f"#kind-{kind} svg")
    picture(page, f"grammar-{language}-{size}")
    learn(page, kind)
    assert "first answer after" in page.inner_text("#run-1")
    picture(page, f"learning-{language}-{size}")
    page.click("#to-review")
    page.wait_for_selector(".choice")
    picture(page, f"review-{language}-{size}")
    first = page.inner_text("#detail h2")
    page.click("#accept")
    page.wait_for_function("first => document.querySelector('#detail h2').textContent !== first", arg=first)
    page.fill("#query", example)
    page.press("#query", "Enter")
    page.locator(f"#queue [data-word='{example}']").click()
    page.wait_for_function("w => document.querySelector('#detail h2').textContent === w", arg=example)
    assert page.get_attribute("#editor .letters", "dir") == direction
    boxes = page.eval_on_selector_all(
        "#editor .letter", "all => all.map(e => e.getBoundingClientRect()).map(box => [Math.round(box.y), box.x])"
    )
    assert boxes == sorted(boxes, key=lambda box: (box[0], -box[1] if direction == "rtl" else box[1]))  # row by row
    while page.locator("#editor .gap[aria-pressed=true]").count():
        page.locator("#editor .gap[aria-pressed=true]").first.click()
    page.locator("#editor .gap").nth(0).click()
    picture(page, f"drawing-{language}-{size}")
    page.click("#save-drawn")
    page.wait_for_function("w => document.querySelector('#news').textContent.startsWith(w + ':')", arg=example)
    decisions = studio.project.decisions()
    assert set(decisions) == {first, example} and str(decisions[example].segmentation.contiguous()).count(" ") == 1
    if size == "phone":
        assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    page.click("#tab-results")
    page.wait_for_selector("#lexicon tbody tr")
    picture(page, f"results-{language}-{size}")
    for format in ("tsv", "lift"):
        with page.expect_download() as download:
            page.click(f"#download-{format}")
        content = download.value.path().read_text("utf-8")
        assert example in content


@on_learnt_words
def test_by_keyboard_alone(opened, studio):
    page = opened()
    page.click("#tab-review")
    page.wait_for_selector(".choice")
    first = page.inner_text("#detail h2")
    page.locator("#main").focus()
    page.keyboard.press("a")
    page.wait_for_function("first => document.querySelector('#detail h2').textContent !== first", arg=first)
    assert set(studio.project.decisions()) == {first}
    page.locator("#main").focus()
    page.keyboard.press("u")
    page.wait_for_function("() => document.querySelector('#news').textContent.startsWith('Undone')")
    assert studio.project.decisions() == {}
    page.locator("#editor .gap").nth(0).focus()
    page.keyboard.press("ArrowRight")
    page.keyboard.press("ArrowRight")
    before = page.locator("#editor .gap").nth(1).get_attribute("aria-pressed")
    page.keyboard.press("Space")
    assert page.locator("#editor .gap").nth(1).get_attribute("aria-pressed") != before
    page.keyboard.press("ArrowLeft")
    page.keyboard.press("Enter")
    assert page.locator("#editor .letter[aria-pressed=true]").count() == 1
    second = page.inner_text("#detail h2")
    page.locator("#save-drawn").focus()
    page.keyboard.press("Enter")
    page.wait_for_selector("#undo")
    assert studio.project.decisions()[second].root == second[1]


def test_corrections_teach_and_show_what_they_changed(opened, studio):
    page = opened()
    add_words(page, WORDS)
    learn(page, "affixes")
    page.click("#to-review")
    for _ in range(3):
        page.wait_for_selector("#accept")
        word = page.inner_text("#detail h2")
        page.click("#accept")
        page.wait_for_function("w => document.querySelector('#detail h2').textContent !== w", arg=word)
    page.click("#tab-learning")
    assert page.inner_text("#learn") == "Learn again with my corrections"
    page.click("#learn")
    page.wait_for_selector("#run-2[data-state=done]")
    page.wait_for_selector("#changed")
    assert re.search(r"\d+ of 40 other words", page.inner_text("#changed"))
    assert "goes on from run 1" in page.inner_text("#run-2")
    picture(page, "corrections")
    assert studio.project.runs.get(2).result["known"] >= 1


@on_learnt_words
def test_two_people_on_one_word(opened, studio):
    """The second to decide is shown what the first decided, and nothing is lost silently."""
    ann = opened()
    ben = opened()
    for page, name in ((ann, "Ann"), (ben, "Ben")):
        page.fill("#author", name)
        page.click("#tab-review")
        page.fill("#query", "walked")
        page.press("#query", "Enter")
        page.locator("#queue [data-word=walked]").click()
        page.wait_for_function("() => document.querySelector('#detail h2').textContent === 'walked'")
    ann.click("#accept")
    ann.wait_for_selector("#undo")
    ben.locator("#editor .gap").nth(0).click()
    ben.click("#save-drawn")
    ben.wait_for_selector("#use-mine")
    assert "Ann decided on this word" in ben.inner_text("#stale")
    assert studio.project.facts.newest("decision", "walked").author == "Ann"
    ben.click("#use-mine")
    ben.wait_for_selector("#undo")
    assert studio.project.facts.newest("decision", "walked").author == "Ben"
    assert [c.author for c in studio.project.facts.history(["decision"])] == ["Ben", "Ann"]


def test_the_page_speaks_german(opened):
    page = opened(DESK, "de-DE")
    assert "Datei hierher ziehen" in page.inner_text("#drop")
    page.select_option("#language", "en")
    page.wait_for_function("() => document.querySelector('#drop').textContent.includes('Drop a file')")
    assert page.get_attribute("html", "lang") == "en"


def test_a_text_is_glossed(opened):
    page = opened()
    add_words(page, ["she walks and talks.", "he walked, he talked!", "they jump and they help"], "story.txt")
    learn(page, "affixes")
    page.click("#tab-results")
    field = page.locator("[data-gloss]").first
    field.fill("GLOSS")
    field.press("Tab")
    page.wait_for_function("() => document.querySelector('#news').textContent === 'Saved.'")
    page.click("#show-interlinear")
    page.wait_for_selector(".igt")
    assert page.locator(".igt").count() == 3 and "GLOSS" in page.inner_text("#interlinear")
    picture(page, "interlinear")


@on_learnt_words
def test_a_grammar_is_checked_as_one_types(opened):
    page = opened()
    page.click("#tab-grammar")
    page.click("#write summary")
    page.fill("#own", "Word -> Stem Suf?\n@Stem -> <any>+\n")
    page.wait_for_selector("#problems .error")
    assert "line 1" in page.inner_text("#problems")
    assert page.is_disabled("#use-own")
    page.fill("#own", "Word -> Stem Suf?\n@Stem -> <any>+\n@Suf -> <any>+\n")
    page.wait_for_selector("#parses svg")
    assert page.is_enabled("#use-own")


@on_learnt_words
def test_models_are_explored_within_the_studio(opened, tmp_path):
    KneserNey(2).fit([["she", "walks"], ["he", "talks"]]).save(tmp_path / "lm.binyan")
    page = opened()
    page.click("#tab-models")
    explorer = page.frame_locator("#explorer")
    explorer.locator("#word").fill("walkings")
    explorer.locator("#word").press("Enter")
    explorer.locator("#analyses svg").first.wait_for()
    assert "walkings" in explorer.locator("#analyses").inner_text().replace("\n", "")
    page.set_input_files("#model-file", tmp_path / "lm.binyan")
    page.wait_for_selector("#added-models li")
    explorer.locator("#sentences-tab").click()
    explorer.locator("#sentence").fill("she walks")
    explorer.locator("#sentence").press("Enter")
    explorer.locator("#scores .word").first.wait_for()
    assert page.locator("#added-models li").count() == 1
    assert {"she", "walks"} <= set(explorer.locator("#scores").inner_text().split())


@on_learnt_words
def test_every_control_has_a_name(opened):
    page = opened()
    for step in ("project", "grammar", "learning", "review", "results", "models"):
        page.click(f"#tab-{step}")
        page.wait_for_timeout(400)
        unnamed = page.evaluate(
            """step => [...document.querySelectorAll(`#${step} button, #${step} input, #${step} select, #${step} textarea`)]
            .filter(e => !(e.getAttribute('aria-label') || e.textContent.trim() || e.labels?.length))
            .map(e => e.outerHTML.slice(0, 80))""",
            step,
        )
        assert unnamed == [], step
