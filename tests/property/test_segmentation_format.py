"""The segmentation format reads back whatever it can write."""

from hypothesis import given
from hypothesis import strategies as st

from binyan.segmentation import Part, Segmentation, SegmentationTable

texts = st.text(
    st.one_of(st.sampled_from("ab+#/@\\ \t\n-|ü"), st.characters(exclude_categories=["Cs"], exclude_characters="\0")),
    min_size=1,
    max_size=6,
)
labels = st.one_of(st.just(""), texts)


@st.composite
def concatenated(draw):
    parts = [Part(draw(texts), draw(labels), draw(st.booleans())) for _ in range(draw(st.integers(0, 3)))]
    parts.insert(draw(st.integers(0, len(parts))), Part(draw(texts), draw(labels)))
    return Segmentation("".join(part.text for part in parts), tuple(parts))


@st.composite
def interleaved(draw):
    letters = draw(st.lists(st.sampled_from("ktbaui+/@"), min_size=1, max_size=8))
    owner = [draw(st.integers(0, 2)) for _ in letters]
    places = {o: tuple(i for i, mine in enumerate(owner) if mine == o) for o in owner}
    parts = [Part("".join(letters[i] for i in p), f"L{o}", positions=p) for o, p in places.items()]
    return Segmentation("".join(letters), tuple(parts))


@given(st.lists(st.one_of(concatenated(), interleaved()), max_size=4, unique_by=lambda s: s.word))
def test_tables_round_trip(tmp_path_factory, segmentations):
    table = SegmentationTable(segmentations)
    assert SegmentationTable.from_bytes(table.to_bytes()) == table
    path = tmp_path_factory.mktemp("tables") / "table.tsv"
    table.write(path, comment="how it was made")
    assert SegmentationTable.read(path) == table


@given(concatenated())
def test_merged_components_spell_the_word(segmentation):
    for linking in ("left", "right"):
        assert "".join(segmentation.components(linking)) == segmentation.word
        assert len(segmentation.components(linking)) == len(segmentation)
    assert segmentation.components("delete") == tuple(p.text for p in segmentation.parts if not p.linking)
    assert len(segmentation.boundaries()) == len(segmentation) - 1
