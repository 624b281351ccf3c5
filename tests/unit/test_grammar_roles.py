"""Roles: what the symbols of a grammar stand for, declared in its file, assumed by traditional names in files without."""

from __future__ import annotations

import pytest

from binyan.errors import GrammarError
from binyan.grammar import Grammar, check_grammar, load_grammar, parse_tree, shipped_grammars
from binyan.grammar.problems import InvalidGrammar
from binyan.grammar.roles import ROLES, traditional_roles
from binyan.grammar.tree_segments import owners, roots, segmentation, template
from binyan.morphology import Morphology
from binyan.morphology.storage import grammar_fields, grammar_of

# A Semitic grammar with names of its own: nothing is called R3, T2 or Stem.
OWN_NAMES = """
Word -> Proclitic? Core
@Proclitic -> Letter+
@Core -> Root(*) Vowels(*) | Root4(*) Vowels(*)
@Root(a,b,c) -> Letter(a) Letter(b) Letter(c)
@Root4(a,b,c,d) -> Letter(a) Letter(b) Letter(c) Letter(d)
@Vowels(a,b) -> Letter(a) Letter(b)
Letter -> <any>
role clitic Proclitic
role root Root Root4
role template Vowels
"""


@pytest.mark.parametrize("name", [g.name for g in shipped_grammars()])
def test_shipped_grammars_declare_their_roles(name: str) -> None:
    grammar = load_grammar(name)
    assert not grammar.assumed and "stem" in grammar.roles.values()
    # Nothing that went by its name before has lost its role.
    assert traditional_roles(grammar.symbols).items() <= grammar.roles.items()
    assert {"Pre", "Stem", "Suf"} <= set(grammar.segment_labels)
    assert check_grammar(name).errors == []


def test_roots_are_found_by_role_whatever_the_symbol_is_called() -> None:
    grammar = Grammar.from_text(OWN_NAMES)
    tree = parse_tree("(Word (Proclitic 0=w) (Core (Root 1=k 3=t 5=b) (Vowels 2=i 4=A)))")
    assert roots(tree, grammar) == ["ktb"] == roots(tree, grammar, 3) and roots(tree, grammar, 4) == []
    assert roots(tree, grammar, 2, "B") == ["iA"] and roots(tree, grammar, 3, "B") == ["ktb"]
    assert template(tree, grammar) == "–i–A–"
    parts = segmentation(tree, grammar.segment_labels)
    assert str(parts) == "w@0/clitic ktb@1,3,5/root iA@2,4/template"
    assert str(parts.contiguous()) == "w/clitic k/root i/template t/root A/template b/root"
    four = parse_tree("(Word (Core (Root4 0=t 2=r 3=j 5=m) (Vowels 1=a 4=a)))")
    assert roots(four, grammar, 4) == ["trjm"] == roots(four, grammar) and roots(four, grammar, 3) == []


def test_a_morphology_of_such_a_grammar_has_roots() -> None:
    grammar = Grammar.from_text(OWN_NAMES, "own")
    roots_ = ("ktb", "drs", "qrn", "fHm", "jls", "zhr")
    words = [f"{p}{r[0]}{v[0]}{r[1]}{v[1]}{r[2]}" for r in roots_ for v in ("aa", "iA", "uu") for p in ("", "wa")]
    morphology = Morphology(grammar, sweeps=60, chains=1, seed=2).fit(words, progress=False)
    assert morphology.root("katab") == "ktb" and morphology.template("katab") == "–a–a–"
    assert morphology.roots("katab", 4) == {} and morphology.roots("katab", 3) == morphology.roots("katab")
    loaded = Morphology.from_bytes(morphology.to_bytes())
    assert loaded.grammar.roles == grammar.roles and loaded.root("katab") == "ktb"


def test_radicals_of_several_characters_count_once() -> None:
    grammar = Grammar.from_text(
        "Word -> Root(*) T(*)\nRoot(a,b) -> Rad(a) Rad(b)\nRad -> Char | Char Char\nT -> Char\nChar -> <any>\nrole root Root"
    )
    tree = parse_tree("(Word (Root (Rad 0=s 1=h) (Rad 3=m)) (T 2=a))")
    assert roots(tree, grammar, 2) == ["shm"] and roots(tree, grammar, 3) == []
    whole = Grammar.from_text("Word -> Root Suf\nRoot | Suf -> Char+\nChar -> <any>\nrole root Root\nrole suffix Suf")
    assert roots(parse_tree("(Word (Root 0=e 1=v) (Suf 2=i))"), whole, 2) == ["ev"]


def test_files_without_roles_go_by_traditional_names() -> None:
    grammar = Grammar.from_text(
        "Word -> Prefix? Stem\n@Prefix -> Char+\n@Stem -> R3(*)\nR3(a,b,c) -> Char(a) Char(b) Char(c)\nChar -> <any>"
    )
    assert (
        grammar.roles
        == {"Prefix": "prefix", "Stem": "stem", "R3": "root"}
        == {s: grammar.roles[s] for s in grammar.assumed}
    )
    assert grammar.segment_labels == {"Prefix": "pre", "Stem": "stem"}  # as version 0.1 had it
    nothing = Grammar.from_text("Word -> Body End?\n@Body | @End -> Char+\nChar -> <any>")
    assert nothing.roles == {} and nothing.segment_labels == {"Body": "Body", "End": "End"}


def test_a_file_without_roles_that_includes_one_with_them(tmp_path) -> None:
    """A grammar of one's own from version 0.1 keeps its meaning: its symbols still go by their names."""
    (tmp_path / "mine.grammar").write_text("include tpl\n@Stem(abcd) -> R4(a,b,c,d)\n@R4(a,b,c,d) -> R3(a,b,c) R1(d)\n")
    grammar = load_grammar(tmp_path / "mine.grammar")
    assert grammar.role("R4") == "root" and grammar.assumed == {"R4"} and grammar.role("R3") == "root"
    (tmp_path / "other.grammar").write_text("include concat\nrole root Stem\n")
    assert load_grammar(tmp_path / "other.grammar").role("Stem") == "root"


def test_grammars_of_version_0_1_have_the_roles_of_their_names() -> None:
    fields = grammar_fields(load_grammar("tpl"))
    assert grammar_of(fields) == load_grammar("tpl")
    old = grammar_of({name: value for name, value in fields.items() if name not in ("roles", "assumed_roles")})
    assert old.roles == load_grammar("tpl").roles and old.assumed == set(old.roles)
    assert set(old.segment_labels) == {"Pre", "Stem", "Suf"}


WRONG = [
    ("role rot Stem", "unknown-role", "did you mean root?"),
    ("role colour Stem", "unknown-role", "roles are prefix, stem"),
    ("role stem Stm", "role-undefined", "did you mean Stem?"),
    ("role stem", "syntax", "takes the symbols"),
    ("role stem Stem\nrole root Stem", "two-roles", "already has the role stem"),
    ("role stem _Char", "role-hidden", "underscore"),
]


@pytest.mark.parametrize(("line", "code", "words"), WRONG)
def test_wrong_roles_are_explained(line: str, code: str, words: str, tmp_path) -> None:
    path = tmp_path / "my.grammar"
    path.write_text(f"Word -> Stem\n@Stem -> _Char+\n_Char -> <any>\n{line}\n")
    [problem] = check_grammar(path).errors
    assert problem.code == code and words in problem.message and problem.line >= 4 and problem.rule.startswith("role")
    with pytest.raises(InvalidGrammar, match=code) as error:
        load_grammar(path)
    assert isinstance(error.value, GrammarError)


def test_every_atom_has_one_owner() -> None:
    tree = parse_tree("(Word (Pres (Pre 0=a) (Pre 1=b)) (Stem (R3 2=k 4=t 6=b) (T2 3=i 5=A)) 7=x)")
    owned = owners(tree, {"Pre", "Stem", "R3"})
    assert [(node.symbol, "".join(leaf.atom for leaf in leaves)) for node, leaves in owned] == [
        ("Pre", "a"),
        ("Pre", "b"),
        ("Stem", "kitAb"),
        ("Word", "x"),
    ]
    assert sorted(leaf.position for _, leaves in owned for leaf in leaves) == list(range(8))


def test_every_role_has_a_label() -> None:
    assert len(set(ROLES.values())) == len(ROLES) and {"root", "template", "prefix", "clitic"} <= set(ROLES)
