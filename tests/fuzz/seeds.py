"""Small inputs that every mutation starts from: valid ones, of each format."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from pathlib import Path

GOLDEN = Path(__file__).resolve().parents[1] / "golden"
_WORDS = "haus\nküchentisch\nכתב\nشمس\ncafe\u0301\nhaus-tür\nb\n"


def texts() -> list[bytes]:
    """Sentences, one per line."""
    return [
        b"das haus ist rot\n\nein Hund, ein Satz.\r\n",
        "שלום עולם\nkafé ÉTÉ\u00a0x\n".encode(),
        b"a <unk> b\n",
        b"\xef\xbb\xbfa\n",
    ]


def conllu() -> list[bytes]:
    """Two sentences of CoNLL-U."""
    rows = [
        "# text = zum Haus",
        "1-2\tzum" + "\t_" * 8,
        "1\tzu\tzu\tADP" + "\t_" * 6,
        "2\tdem\tder\tDET" + "\t_" * 6,
        "3\tHaus\tHaus\tNOUN" + "\t_" * 6,
    ]
    return [
        ("\n".join(rows) + "\n\n" + rows[2] + "\n").encode(),
        ("\n".join([*rows, "3.1\tx" + "\t_" * 8]) + "\n").encode(),
    ]


def word_lists() -> list[bytes]:
    """Words, with and without counts."""
    return [_WORDS.encode(), b"haus\t12\nhof\t1\nbaum\n", b"a\r\nb\r\n"]


def segmentations() -> list[bytes]:
    """Words with their parts."""
    return [
        "# comment\nküchentisch\tküche +n tisch\nuntreu\tun/PRE treu/STM\nmaktab\tmaa@0,1,4/T ktb@2,3,5/ROOT\n".encode(),
        b"haus\thaus\n",
    ]


def gold_compounds() -> list[bytes]:
    """Compounds of three sources."""
    return [
        "küchentisch\tküche +n tisch\nhaustür\thaus tür\n".encode(),
        b"Haus_T\xc3\xbcr\t5\nApfel_Baum\t3\nArbeit_+s_Zimmer\t4\n",
        "# GermaNet\nKüchentisch\tKüche\tTisch\nApfelbaum\tApfel\tBaum\n".encode(),
    ]


def gold_morphemes() -> list[bytes]:
    """Words with gold morphemes."""
    return [
        b"unhappy\tun/PRE happy/STM\nwalked\twalk ed\n",
        b"maktab\tma ktb, maktab\ncats\tcat s/SUF\n",
        segmentations()[0],
    ]


def lift() -> list[bytes]:
    """A lexicon with affixes, a stem and its words."""
    return [
        b'<?xml version="1.0"?><lift version="0.13"><header/><entry id="a"><lexical-unit><form lang="x"><text>um</text></form>'
        b'</lexical-unit><trait name="morph-type" value="infix"/></entry><entry id="b"><lexical-unit><form lang="x"><text>sulat'
        b'</text></form></lexical-unit><trait name="label" value="stem"/><variant><form lang="x"><text>sumulat</text></form>'
        b'<trait name="segments" value="sulat@0,3,4,5,6/stem um@1,2/inf"/></variant><sense id="s"/></entry></lift>'
    ]


def flextext() -> list[bytes]:
    """One phrase of interlinear text."""
    return [
        b'<document version="2"><interlinear-text><paragraphs><paragraph><phrases><phrase><words><word><item type="txt" '
        b'lang="x">sumulat</item><morphemes><morph type="stem"><item type="txt" lang="x">sulat</item></morph><morph '
        b'type="infix"><item type="txt" lang="x">-um-</item></morph></morphemes></word></words></phrase></phrases>'
        b"</paragraph></paragraphs></interlinear-text></document>"
    ]


def att() -> list[bytes]:
    """A transducer as AT&T text."""
    return [b"0\t1\ta\ta\t0.5\n1\t1\ta\ta\t0.7\n1\t2\t@0@\t<stem>\t0.1\n2\t3\tb\tb\n3\t4\t@0@\t<suf>\n2\t0.2\n4\n"]


def grammars() -> list[bytes]:
    """Grammars of the library, and a few of our own."""
    folder = Path(__file__).resolve().parents[2] / "src/binyan/grammar/library"
    library = [path.read_bytes() for path in sorted(folder.glob("*.grammar"))]
    own = [b"Word -> Stem Suffix?\nadapt Stem Suffix\nStem -> Chars\nSuffix -> Chars\nChars -> Char+\nChar -> 'a' | 'b' | 'c'\n", b"S -> 'a' S 'b' | 'a'\n", b"start W\nW(xy) -> A(x,y)\nA('a','b') -> eps\n"]  # fmt: skip
    return [*own, *library]


def py_cfg() -> list[bytes]:
    """Grammars in the format of py-cfg."""
    return [b"1 1 Word --> Stem Suffix\n1 0.5 100 Stem --> Chars\nSuffix --> Chars\n1 1 Chars --> Char\n1 1 Chars --> Char Chars\n1 1 Char --> a\n1 1 Char --> b\n", b"1 1 S --> a S\n1 1 S --> b\n"]  # fmt: skip


def py_srcag() -> list[bytes]:
    """Grammars in the two formats of py-srcag."""
    return [
        b"1 1 Word(abc) --> R2(a,c) T1(b)\n1 1 R2(a,b) --> C(a) C(b)\n1 1 T1(a) --> C(a)\n1 1 C(x) --> eps\n",
        b"Word(xy) --> A(x) B(y)\nA(x) --> C(x)\n1 0.5 100 B(y) --> C(y)\n1 1 C(a) --> eps\n1 1 C(b) --> eps\n",
        b"1 1 Word (((0 0) (0 2)) ((0 1))) --> R T\n1 1 R (((0 0)) ((1 0))) --> C C\n1 1 T (((0 0))) --> C\n1 1 C (((0 0))) --> a\n",
    ]


def trees() -> list[bytes]:
    """Trees in brackets."""
    return [b"(Word (Pre 0=m 1=a) (Stem (R3 2=k 3=t 6=b) (T2 4=u 5=u)))", b"(S (A a b) (B c))"]


def arpa() -> list[bytes]:
    """ARPA files."""
    small = b"\\data\\\nngram 1=5\nngram 2=3\n\n\\1-grams:\n-2.0\t<unk>\n-99\t<s>\t-0.5\n-1.0\t</s>\n-0.5\thaus\t-0.25\n-0.7\ta\n\n\\2-grams:\n-0.3\t<s> haus\n-0.2\thaus </s>\n-0.4\thaus a\n\n\\end\\\n"
    return [small, *(p.read_bytes()[:6000] for p in sorted((GOLDEN / "lmplz").glob("*.arpa"))[:2])]


def classes() -> list[bytes]:
    """Paths of Brown classes."""
    return [b"0010\thaus\t12\n0011\thof\t3\n01\tgeht\n1\t</s>\n", "110\tכתב\n0\ta\n".encode()]


def alignments() -> list[bytes]:
    """Alignments in Pharaoh's format."""
    return [b"0-0 1-2 2-1\n\n0-0\n", b"10-3 4-5\n"]


def rules_cdec() -> list[bytes]:
    """Rules of cdec."""
    return [
        b"[X] ||| das [X,1] ||| the [X,1] ||| f=0.5 g=-1 ||| 0-0\n[X] ||| [X,1] ist [X,2] ||| [X,2] is [X,1] ||| f=1\n[S] ||| [X,1] ||| [X,1]\n"
    ]


def rules_moses() -> list[bytes]:
    """Rules of Moses."""
    return [
        b"das [X][X] [X] ||| the [X][X] [X] ||| 0.5 0.4 0.3 0.2 ||| 0-0 1-1 ||| 1 1 1\nhaus [X] ||| house [X] ||| 1 0.1 1 0.1 ||| 0-0 |||\n"
    ]


def n_best(format: str) -> Callable[[], list[bytes]]:
    """N-best lists of one format."""
    lines = {
        "moses": b"0 ||| das haus ||| LM0= -3.2 TM= -1 -2 ||| -4.5\n0 ||| haus ||| LM0= -4 TM= -1 -2 ||| -5\n1 ||| x ||| LM0= 1 ||| 2 ||| more\n",
        "cdec": b"0 ||| das haus ||| LM=-3.2 TM=-1 ||| -4.5\n1 ||| hof ||| LM=-1 ||| -2\n",
        "plain": b"-4.5\tdas haus\n-3\thof\tx\n",
        "json": b'{"text": "das haus", "score": -4.5, "group": 1, "features": {"LM": -3.2}}',
    }
    return lambda: [lines[format]]


def weights() -> list[bytes]:
    """Weights of a translation system, and of rescoring."""
    return [b'{"weights": {"LM0": 0.5, "TM": -1.0}, "bleu": 22.5, "signature": "x"}', b'{"LM0": 0.5, "score": 1}']


def system_settings() -> list[bytes]:
    """The settings of a translation system."""
    from binyan.translation.system_folder import SystemRecipe

    return [json.dumps({"settings": SystemRecipe().to_dict(), "bitext": "abc", "only_for": ["dev"]}).encode()]


def word2vec() -> list[bytes]:
    """Vectors as text."""
    return [b"2 3\nhaus 0.1 0.2 0.3\nhof -1 2e-3 0\n", b"1 1\na 1\n"]


def word_pairs() -> list[bytes]:
    """Pairs of words with similarities."""
    return [b"word1\tword2\tscore\nhaus\thof\t3.5\nhund\tkatze\t7\n", b"a,b,1\nc,d,0.5\n", b"a b 1\n"]


def any_files() -> list[bytes]:
    """Whatever may be opened by name."""
    return [
        *segmentations(),
        *arpa()[:1],
        (GOLDEN / "models/mkn-1.binyan").read_bytes(),
        b"\x1f\x8b\x08",
        b"\xfd7zXZ\0",
    ]


def requests() -> list[bytes]:
    """Requests to the explorer: path, headers and body, as one JSON object."""
    questions = {
        "sentence": {"text": "der hund sah <b>x</b>"},
        "next-words": {"text": "die"},
        "analyse": {"model": "words", "word": "מכתב"},
        "analysis": {"model": "words", "word": "משמרו", "rank": 0},
        "lexicon": {"model": "words", "category": "Stem", "contains": "", "sort": "text", "all": True},
        "neighbours": {"model": "vectors", "query": "hofst"},
    }
    headers = {"host": "testserver", "content-type": "application/json", "content-length": None}
    return [
        json.dumps({"method": "POST", "path": f"/api/{name}", "headers": headers, "body": body}).encode()
        for name, body in questions.items()
    ] + [b'{"method": "GET", "path": "/", "headers": {"host": "localhost"}, "body": null}']


def models() -> dict[str, Callable[[], Sequence[bytes]]]:
    """Model files of every kind."""

    def golden(*names: str) -> Callable[[], list[bytes]]:
        return lambda: [(GOLDEN / name).read_bytes() for name in names]

    def translation_grammar() -> list[bytes]:
        import tempfile

        from binyan.translation.rule_text import read_rules

        with tempfile.NamedTemporaryFile(suffix=".rules") as file:
            file.write(rules_cdec()[0])
            file.flush()
            return [read_rules(file.name).to_bytes()]

    names = {
        **{kind: golden(f"models/{kind}-1.binyan") for kind in ("mkn", "arpa", "hpylm", "hpylm+c", "hpylm+g")},
        "log-bilinear": golden("log_bilinear/clbl++-1.binyan", "log_bilinear/nlbl+c-1.binyan", "log_bilinear/clbl++extended-1.binyan"),
        "mixture": golden("log_bilinear/mixture-1.binyan", "log_bilinear/mixture-by-context-1.binyan"),
        "adaptor": golden("morphology/adaptor-1.binyan"),
        "splitter": golden("compounds/frequencies.v1.splitter", "compounds/trained.v1.splitter"),
        "rules": translation_grammar,
    }  # fmt: skip
    return dict(names)
