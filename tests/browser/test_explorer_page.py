"""The explorer's page in a real browser: words, sentences, vectors and translations, by pointer and by keyboard, on a desk and a phone."""

from __future__ import annotations

import json
import re
import shutil
import socket
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

pytest.importorskip("fastapi", reason="the explore extra is not installed")
playwright = pytest.importorskip("playwright.sync_api", reason="playwright is not installed (the dev extra has it)")
uvicorn = pytest.importorskip("uvicorn", reason="the explore extra is not installed")

from binyan.datasets import german_text  # noqa: E402
from binyan.explore.loaded_models import LoadedModels  # noqa: E402
from binyan.explore.server import create_app  # noqa: E402
from binyan.morphology import Morphology  # noqa: E402
from binyan.ngram.chains import Schedule  # noqa: E402
from binyan.ngram.compound import CompoundHPYLM  # noqa: E402
from binyan.ngram.kneser_ney import KneserNey  # noqa: E402
from translation_world import system, translated  # noqa: E402

CHROMIUM = next((p for p in map(shutil.which, ("chromium", "chromium-browser", "google-chrome", "chrome")) if p), None)
FLAGS = "--no-sandbox --disable-gpu --disable-quic --no-first-run --disable-background-networking --disable-component-update --disable-sync"
ROOTS = ["כתב", "למד", "שמר", "זכר", "סגר", "גדל"]
WORDS = [f"{w[0]}{w[1]}{w[2]}" for w in ROOTS]
WORDS += [w for r in ROOTS for w in (f"{r}ו", f"{r[0]}ו{r[1:]}", f"מ{r}", f"{r[:2]}י{r[2]}ה")]
TEXT = german_text(300, 60, seed=5)
PARTS = {
    part
    for s in TEXT.train
    for w in s
    for part in (TEXT.segmentations[w].components() if w in TEXT.segmentations else (w,))
}
UNSEEN = next(w for w in TEXT.unseen_compounds if PARTS.issuperset(TEXT.segmentations[w].components()))
pytestmark = [
    pytest.mark.skipif(CHROMIUM is None, reason="no Chromium on this machine (apt-get install chromium)"),
    pytest.mark.filterwarnings("ignore::UserWarning"),
]


@pytest.fixture(scope="module")
def address(tmp_path_factory) -> Iterator[str]:
    """The address of a running explorer over small models."""
    folder = tmp_path_factory.mktemp("models")
    Morphology("tpl", sweeps=30, burn_in=25, chains=1).fit(WORDS).save(folder / "hebrew.binyan")
    KneserNey(3).fit(TEXT.train).save(folder / "mkn.binyan")
    CompoundHPYLM(2, schedule=Schedule(sweeps=5), segmentation=TEXT.segmentations, both_ways=False).fit(
        TEXT.train
    ).save(folder / "compounds.binyan")
    if (vectors := _vectors()) is not None:
        vectors.save(folder / "vectors.binyan")
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    app = create_app(LoadedModels.load([*sorted(folder.iterdir()), translation_system(tmp_path_factory.mktemp("mt"))]))
    server = uvicorn.Server(uvicorn.Config(app, port=port, log_level="warning"))
    thread = threading.Thread(target=server.run, daemon=True)
    thread.start()
    while not server.started:
        time.sleep(0.05)
    yield f"http://127.0.0.1:{port}/"
    server.should_exit = True
    thread.join(10)


def translation_system(folder: Path) -> Path:
    """A system with weights under which the language model counts for nothing, beside the untuned ones."""
    place = system(folder).folder
    content = {"weights": {"LanguageModel1": 0.0, "Words": 0.6}, "models": [], "bleu": 0.25}
    (place / "quiet.json").write_text(json.dumps(content))
    return place


def _vectors():
    try:
        from binyan import LogBilinear
    except ImportError:
        return None
    model = LogBilinear("clbl++", order=3, dim=6, classes=8, word_map=TEXT.segmentations, epochs=1, batch=200)
    return model.fit(TEXT.train, TEXT.test, progress=False)


@pytest.fixture(scope="module")
def browser() -> Iterator[playwright.Browser]:
    with playwright.sync_playwright() as driver:
        started = driver.chromium.launch(executable_path=CHROMIUM, args=FLAGS.split())
        yield started
        started.close()


@pytest.fixture
def page(browser, address, request) -> Iterator[playwright.Page]:
    """The page, opened; a test fails on errors in it and on requests to any other place."""
    settings = getattr(request, "param", {"viewport": {"width": 1000, "height": 800}})
    context = browser.new_context(**settings)
    context.set_default_timeout(60_000)
    opened = context.new_page()
    faults: list[str] = []
    opened.on("pageerror", lambda error: faults.append(str(error)))
    opened.on("dialog", lambda dialog: faults.append(f"dialog: {dialog.message}"))
    opened.on("request", lambda r: None if r.url.startswith((address, "data:", "blob:")) else faults.append(r.url))
    opened.goto(address)
    opened.wait_for_selector("[role=tab]")
    yield opened
    context.close()
    assert faults == []


def analyse(page, word: str) -> None:
    page.fill("#word", word)
    page.press("#word", "Enter")
    page.wait_for_selector("details[open] svg")


def test_words_run_from_right_to_left(page):
    analyse(page, "מכתבו")  # not in the list
    assert "did not learn from this word" in page.inner_text("#analyses")
    assert page.locator("details").count() > 1
    assert page.locator("details[open] .parts").get_attribute("dir") == "rtl"
    places = page.eval_on_selector_all(
        "details[open] svg text",
        "all => all.filter(t => /^[א-ת]$/.test(t.textContent)).map(t => t.getBoundingClientRect().x)",
    )
    assert len(places) >= 5
    leaves = page.eval_on_selector_all(
        "details[open] svg text",
        "all => Object.fromEntries(all.filter(t => /^\\d+$/.test(t.textContent)).map(t => [t.textContent, t.getBoundingClientRect().x]))",
    )
    ordered = [leaves[str(i)] for i in range(5)]
    assert ordered == sorted(ordered, reverse=True)


def test_related_words_lead_on(page):
    analyse(page, "כתב")
    shared = page.locator("details[open] dl .link").first
    name = shared.inner_text()
    shared.click()
    page.wait_for_function("name => document.querySelector('#analyses h2 bdi')?.textContent === name", arg=name)
    assert page.input_value("#word") == name


def test_lexicon_is_sorted_filtered_and_saved(page):
    page.select_option("#category", "Stem")
    page.wait_for_selector("#lexicon table")
    page.get_by_role("button", name="morpheme").click()
    page.wait_for_selector("#lexicon [aria-sort=ascending]")
    texts = page.locator("#lexicon td bdi").all_inner_texts()
    assert texts == sorted(texts)
    page.fill("#filter", "כ")
    page.wait_for_function("n => document.querySelectorAll('#lexicon tbody tr').length < n", arg=len(texts))
    assert all("כ" in text for text in page.locator("#lexicon td bdi").all_inner_texts())
    with page.expect_download() as download:
        page.click("#download")
    lines = download.value.path().read_text("utf-8").splitlines()
    assert lines[0] == "morpheme\tcount\tprobability"
    assert len(lines) == 1 + page.locator("#lexicon tbody tr").count()


def test_sentences_explain_compounds_and_suggest(page):
    page.get_by_role("tab", name="Sentences").click()
    page.fill("#sentence", f"die {UNSEEN}")
    page.press("#sentence", "Enter")
    page.locator("#scores > div", has_text="compounds").locator(".word", has_text=UNSEEN).click()
    steps = page.inner_text("#steps")
    assert "head" in steps and "modifier" in steps and "under compounds" in steps
    page.locator("#next .link").first.click()
    page.wait_for_function("before => document.querySelector('#sentence').value.length > before", arg=5 + len(UNSEEN))


def test_sentences_run_from_right_to_left_in_such_scripts(page):
    page.get_by_role("tab", name="Sentences").click()
    page.fill("#sentence", "שלום עולם")
    page.press("#sentence", "Enter")
    words = page.locator("#scores > div").first.locator(".word", has_text=re.compile("[א-ת]"))
    words.first.wait_for()
    places = [word.bounding_box()["x"] for word in words.all()]
    assert len(places) == 2 and places[0] > places[1]


def test_an_older_answer_that_comes_late_does_not_replace_the_newer(page):
    held: list[playwright.Route] = []

    def hold_the_first(route: playwright.Route) -> None:
        held.append(route)
        if len(held) > 1:
            route.continue_()

    page.route("**/api/next-words", hold_the_first)
    page.get_by_role("tab", name="Sentences").click()  # asks what may begin a sentence
    page.fill("#sentence", "die")
    page.press("#sentence", "Enter")
    page.wait_for_selector("#scores .word")
    shown = page.inner_text("#next")
    with page.expect_response("**/api/next-words"):
        held[0].continue_()
    page.wait_for_timeout(200)
    assert page.locator("#scores .word").count() and page.inner_text("#next") == shown


def test_markup_is_text(page):
    page.get_by_role("tab", name="Sentences").click()
    page.fill("#sentence", "<img/src=x/onerror=alert(1)> <b>fett</b>")
    page.press("#sentence", "Enter")
    page.wait_for_selector("#scores .word")
    assert page.locator("#scores img, #scores b").count() == 0
    assert "<b>fett</b>" in page.inner_text("#scores")
    page.get_by_role("tab", name="Words").click()
    page.fill("#word", "<b>כתב</b>")
    page.press("#word", "Enter")
    page.wait_for_selector("details[open] svg")
    assert page.locator("#analyses b").count() == 0


def test_errors_are_told_and_go_away(page):
    page.fill("#word", "כתב כתב")
    page.press("#word", "Enter")
    page.wait_for_function("() => document.querySelector('#message').textContent.includes('not one word')")
    analyse(page, "כתב")
    assert page.inner_text("#message") == ""


def test_vectors_of_seen_and_unseen_words_and_the_map(page):
    pytest.importorskip("torch", reason="the neural extra is not installed")
    page.get_by_role("tab", name="Vectors").click()
    page.wait_for_selector("#map text")
    assert page.locator("#map text").count() > 20
    page.fill("#query", UNSEEN)
    page.press("#query", "Enter")
    page.wait_for_selector("#neighbours table")
    assert "Not in the vocabulary" in page.inner_text("#neighbours")
    assert page.locator("#neighbours tbody tr").count() == 24
    page.fill("#query", "qqqq")
    page.press("#query", "Enter")
    page.wait_for_function("() => document.querySelector('#message').textContent.includes('cannot be made')")
    before = page.get_attribute("#map", "viewBox")
    page.focus("#map")
    page.keyboard.press("ArrowRight")
    page.keyboard.press("+")
    assert page.get_attribute("#map", "viewBox") != before
    page.locator("#neighbours .link").last.click()  # a morpheme
    page.wait_for_function("() => document.querySelector('#query').value !== '' && !document.body.ariaBusy")
    assert page.inner_text("#message") == ""


SENTENCE = "the old dog sees a green house"


def translate(page, sentence: str) -> None:
    page.get_by_role("tab", name="Translations").click()
    page.fill("#translated", sentence)
    with page.expect_response("**/api/translate"):
        page.press("#translated", "Enter")
    page.wait_for_selector(".links line")


def test_a_translation_shows_its_rules_and_the_words_that_answer_each_other(page):
    translate(page, SENTENCE)
    assert page.inner_text(".translation") == translated(SENTENCE.split())
    source, target = page.locator(".line").all()
    assert (source.get_attribute("dir"), target.get_attribute("dir")) == ("ltr", "rtl")
    assert page.locator(".links line").count() == 7
    places = [token.bounding_box()["x"] for token in target.locator(".token").all()]
    assert places == sorted(places, reverse=True)
    dog = source.locator(".token", has_text="dog")
    dog.hover()
    rule = page.locator(".rule-title")
    assert "Rule" in rule.inner_text() and [s.inner_text() for s in rule.locator(".side").all()] == [
        "old dog",
        "כלב זקן",
    ]
    assert page.locator(".step.chosen").count() == 2 and page.locator(".links line.chosen").count() == 2
    middle = page.evaluate(
        """() => [...document.querySelectorAll(".line")].map((line, i) => {
          const box = line.querySelector(`[data-at="${[2, 1][i]}"]`).getBoundingClientRect();
          const svg = document.querySelector(".links").getBoundingClientRect();
          return box.left + box.width / 2 - svg.left; })"""
    )
    link = page.locator('.links line[data-link="2-1"]')
    assert [float(link.get_attribute(x)) for x in ("x1", "x2")] == pytest.approx(middle, abs=1)
    page.locator(".rule-detail summary").click()
    assert "LogCount" in page.inner_text(".rule-detail")


def test_other_translations_and_copied_words(page):
    translate(page, "the old zebra sees a house")
    assert page.locator(".step.copy").count() == 2  # above and below
    page.locator(".line .token", has_text="zebra").first.click()
    assert "no rule translates zebra" in page.inner_text(".rule-title")
    other = page.locator(".alternative").nth(1)
    name = other.locator("span").first.inner_text()
    other.click()
    assert page.inner_text(".translation") == name and page.locator(".alternative[aria-pressed=true]").count() == 1


def test_language_models_and_weights_side_by_side(page):
    translate(page, SENTENCE)
    page.click("#compare")
    page.wait_for_function("() => document.querySelectorAll('.variant .links line').length === 14")
    columns = page.locator(".variant")
    assert columns.count() == 2
    first, second = (column.bounding_box() for column in columns.all())
    assert abs(first["y"] - second["y"]) < 5 and second["x"] > first["x"] + first["width"]  # side by side
    with page.expect_response("**/api/translate"):
        columns.nth(1).locator("select").nth(0).select_option("the system's own")
    with page.expect_response(lambda r: "quiet" in (r.request.post_data or "")) as answer:
        columns.nth(1).locator("select").nth(1).select_option("quiet")
    assert answer.value.json()["feature_weights"]["LanguageModel1"] == 0
    page.wait_for_selector(".translation mark")  # without the language model adjectives stay before their nouns
    texts = [column.locator(".translation").inner_text() for column in columns.all()]
    assert texts[0] == translated(SENTENCE.split()) != texts[1] and columns.nth(0).locator("mark").count() == 0
    columns.nth(1).locator("select").nth(0).select_option("mkn")
    columns.nth(1).get_by_text("The weights were tuned with other language models").wait_for()
    assert columns.nth(0).get_by_text("The weights were tuned with").count() == 0
    columns.nth(1).locator("input").fill("-1")
    columns.nth(1).locator("input").press("Tab")
    page.wait_for_function("() => document.querySelector('#message').textContent.includes('0 to 100')")
    columns.nth(1).get_by_label("Take this column away").click()
    assert page.locator(".variant").count() == 1


def test_all_by_keyboard(page):
    def tab_to(selector: str) -> None:
        for _ in range(40):
            page.keyboard.press("Tab")
            if page.evaluate("s => document.activeElement.matches(s)", selector):
                return
        raise AssertionError(f"the Tab key does not lead to {selector}")

    tab_to("#word")
    page.keyboard.insert_text("למדו")
    page.keyboard.press("Enter")
    page.wait_for_selector("details[open] svg")
    tab_to("summary")
    page.keyboard.press("Enter")
    assert page.locator("details[open]").count() == 0
    page.focus("[role=tab][aria-selected=true]")
    page.keyboard.press("ArrowRight")
    assert page.evaluate("document.activeElement.textContent") == "Sentences"
    tab_to("#sentence")
    page.keyboard.insert_text("die straße")
    page.keyboard.press("Enter")
    page.wait_for_selector("#scores .word")
    tab_to(".word")
    page.keyboard.press("Enter")
    assert "came to" in page.inner_text("#steps")


PHONE = {"viewport": {"width": 360, "height": 740}, "has_touch": True, "is_mobile": True}


@pytest.mark.parametrize("page", [PHONE], indirect=True)
def test_a_phone_needs_no_sideways_scrolling(page):
    analyse(page, "מכתב")
    for tab in page.get_by_role("tab").all():
        tab.click()
        if tab.inner_text() == "Sentences":
            page.fill("#sentence", "die schnelle straßenbahn")
            page.press("#sentence", "Enter")
            page.wait_for_selector("#scores .word")
        if tab.inner_text() == "Translations":
            translate(page, f"{SENTENCE} and {SENTENCE}")
            page.locator(".line .token").first.tap()
            page.click("#compare")
        page.wait_for_timeout(200)
        assert page.evaluate("document.documentElement.scrollWidth <= window.innerWidth"), tab.inner_text()


@pytest.mark.parametrize(
    "page", [{"color_scheme": "dark"}, {"color_scheme": "light"}], indirect=True, ids=["dark", "light"]
)
def test_light_and_dark_are_readable(page, request):
    def brightness(what: str) -> float:
        colour = page.evaluate(f"getComputedStyle(document.body).{what}")
        return sum(map(float, re.findall(r"[\d.]+", colour)[:3])) / 3

    dark = request.node.callspec.id == "dark"
    assert (brightness("backgroundColor") < 60) == dark
    assert abs(brightness("backgroundColor") - brightness("color")) > 150
