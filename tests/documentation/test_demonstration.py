"""The demonstration does what it says."""

import re
from importlib.util import find_spec

import pytest

from binyan.demo.show import demonstrate
from binyan.morphology import Morphology

pytestmark = pytest.mark.filterwarnings("ignore::UserWarning")


def test_demonstration(tmp_path):
    said: list[str] = []
    page = demonstrate(tmp_path, seed=1, say=said.append)
    text = "\n".join(said)
    perplexities = {m[1]: float(m[2]) for m in re.finditer(r"^  (mkn|hpylm\S*|clbl\S*) +3 +([\d.]+)", text, re.M)}
    neural = ["clbl++"] if find_spec("torch") else []
    assert list(perplexities) == ["mkn", "hpylm", "hpylm+c", "hpylm+g", *neural]
    assert max(perplexities["hpylm+c"], perplexities["hpylm+g"]) < perplexities["hpylm"] < perplexities["mkn"]
    found = re.search(r"found by the model +([\d,]+)", text)
    assert found and int(found[1].replace(",", "")) > 1000
    html = page.read_text(encoding="utf-8")
    assert html.count("<svg") == 2 + len(neural)  # perplexities, a tree, the map
    assert "binyan explore" in html[html.index("Commands to try") :]
    if neural:
        assert perplexities["clbl++"] < perplexities["mkn"]
        near, any_two = (int(m) for m in re.findall(r"^  (?:the 5 nearest|any two) +(\d+)%", text, re.M))
        assert near > 2 * any_two
    else:
        assert "binyan[neural]" in text
    assert not re.search(r"(src|href)=.https?:", html)
    assert Morphology.load(tmp_path / "words.binyan").analyses("maktuubun", 1)
    assert sorted(p.name for p in tmp_path.glob("*.binyan")) == (
        [
            *(f"{name}.binyan" for name in neural),
            "hpylm+c.binyan",
            "hpylm+g.binyan",
            "hpylm.binyan",
            "mkn.binyan",
            "words.binyan",
        ]
    )
