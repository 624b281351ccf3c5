"""Facts about German words, for the demonstration text: nouns by what they name, modifiers they go with, verbs they go with.

A noun is written word, gender, plural; a modifier is its form in compounds, with the linking element after a plus sign.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Noun:
    """A head: its singular, gender (m, f, n) and plural."""

    singular: str
    gender: str
    plural: str


@dataclass(frozen=True)
class Field:
    """Nouns of one kind with the modifiers, adjectives and verbs that go with them."""

    nouns: tuple[Noun, ...]
    modifiers: tuple[tuple[str, str], ...]  # form and linking element
    adjectives: tuple[str, ...]
    verbs: tuple[tuple[str, str], ...]  # singular and plural, with these nouns as object


def _field(nouns: str, modifiers: str, adjectives: str, verbs: str) -> Field:
    def noun(entry: str) -> Noun:
        singular, gender, plural = entry.split(",")
        return Noun(singular, gender, plural)

    def pair(entry: str, mark: str) -> tuple[str, str]:
        first, _, second = entry.partition(mark)
        return first, second

    return Field(
        tuple(map(noun, nouns.split())),
        tuple(pair(entry, "+") for entry in modifiers.split()),
        tuple(adjectives.split()),
        tuple(pair(entry, ",") for entry in verbs.split()),
    )


FIELDS = (
    _field(
        "bahn,f,bahnen zug,m,züge schiff,n,schiffe wagen,m,wagen boot,n,boote bus,m,busse flugzeug,n,flugzeuge",
        "straße+n eisen+ güt+er segel+ schnell+ dampf+ luxus+ reise+ fähr+ rettung+s kind+er post+ schul+ wüste+n küste+n "
        "nacht+ sport+ renn+ kohle+n hafen+ tourist+en",
        "schnell alt lang modern voll leer langsam neu",
        "sieht,sehen nimmt,nehmen verpasst,verpassen repariert,reparieren fährt,fahren verkauft,verkaufen",
    ),
    _field(
        "haus,n,häuser turm,m,türme schloss,n,schlösser halle,f,hallen kirche,f,kirchen gebäude,n,gebäude hütte,f,hütten",
        "stadt+ glocke+n wasser+ garten+ arbeit+s rat+ kranke+n wohnung+s jagd+ messe+ markt+ sport+ dorf+ regierung+s "
        "berg+ fabrik+ lager+ könig+s kaufmann+s eis+",
        "alt groß hoch klein neu berühmt verlassen hell",
        "baut,bauen besucht,besuchen betritt,betreten verlässt,verlassen sieht,sehen renoviert,renovieren",
    ),
    _field(
        "tisch,m,tische stuhl,m,stühle schrank,m,schränke lampe,f,lampen bett,n,betten regal,n,regale sofa,n,sofas",
        "küche+n garten+ kind+er schreib+ ess+ holz+ eiche+n büro+ decke+n kleid+er büch+er stand+ glas+ schlaf+ leder+ "
        "werk+ konferenz+ nacht+ kiefer+n wohnzimmer+",
        "bequem alt schwer neu rund schön teuer klein",
        "kauft,kaufen verschiebt,verschieben putzt,putzen verkauft,verkaufen repariert,reparieren",
    ),
    _field(
        "suppe,f,suppen kuchen,m,kuchen salat,m,salate brot,n,brote saft,m,säfte soße,f,soßen gericht,n,gerichte",
        "apfel+ kartoffel+ tomate+n zwiebel+ fisch+ gemüse+ käse+ birne+n orange+n hühn+er nudel+ pilz+ bohne+n kirsch+ "
        "zitrone+n hafer+ nuss+ linse+n rind+er spargel+",
        "frisch warm kalt lecker süß salzig scharf heiß",
        "isst,essen kocht,kochen probiert,probieren bestellt,bestellen serviert,servieren",
    ),
    _field(
        "gesetz,n,gesetze plan,m,pläne vertrag,m,verträge antrag,m,anträge reform,f,reformen regel,f,regeln vorschlag,m,vorschläge",
        "arbeit+s steuer+ umwelt+ haushalt+s sicherheit+s verfassung+s wahl+ energie+ rente+n schul+ bund+es handel+s "
        "klima+ miet+ bildung+s gesundheit+s verkehr+s frieden+s wirtschaft+s datenschutz+",
        "neu wichtig umstritten alt klar gemeinsam streng europäisch",
        "unterstützt,unterstützen beschließt,beschließen prüft,prüfen ändert,ändern unterzeichnet,unterzeichnen",
    ),
    _field(
        "ausschuss,m,ausschüsse kommission,f,kommissionen rat,m,räte partei,f,parteien gruppe,f,gruppen verein,m,vereine verband,m,verbände",
        "haushalt+s umwelt+ wirtschaft+s bürger+ frau+en arbeit+s sport+ jugend+ bauer+n stadt+ regierung+s menschenrecht+s "
        "verkehr+s lehrer+ handwerk+s recht+s volk+s kultur+ entwicklung+s industrie+",
        "zuständig groß mächtig klein neu einflussreich europäisch klug",
        "gründet,gründen lobt,loben kritisiert,kritisieren leitet,leiten fragt,fragen informiert,informieren",
    ),
    _field(
        "weg,m,wege straße,f,straßen brücke,f,brücken platz,m,plätze garten,m,gärten hof,m,höfe markt,m,märkte",
        "wald+ rad+ stadt+ dorf+ fisch+ schul+ rathaus+ blume+n bauer+n weihnacht+s bahn+ küste+n park+ obst+ fluss+ "
        "berg+ spiel+ kräut+er rose+n haupt+",
        "breit schmal ruhig alt lang sonnig leer belebt",
        "überquert,überqueren sucht,suchen findet,finden sperrt,sperren zeigt,zeigen fegt,fegen",
    ),
    _field(
        "buch,n,bücher brief,m,briefe bericht,m,berichte zeitung,f,zeitungen artikel,m,artikel karte,f,karten heft,n,hefte",
        "koch+ jahr+es liebe+s tag+es bild+er wander+ schul+ kind+er geschicht+s reise+ wetter+ fach+ woche+n land+ "
        "polizei+ note+n sach+ abend+ kunde+n forschung+s",
        "lang kurz interessant neu langweilig alt geheim wichtig",
        "liest,lesen schreibt,schreiben veröffentlicht,veröffentlichen schickt,schicken übersetzt,übersetzen",
    ),
    _field(
        "fahrer,m,fahrer lehrer,m,lehrer händler,m,händler minister,m,minister ärztin,f,ärztinnen leiterin,f,leiterinnen kind,n,kinder",
        "bus+ lkw+ schul+ sport+ blume+n wein+ finanz+ außen+ kind+er tier+ abteilung+s chor+ nachbar+s musik+ auto+ "
        "taxi+ gemüse+ verkehr+s zahn+ waise+n",
        "freundlich jung alt müde bekannt nett streng fleißig",
        "trifft,treffen grüßt,grüßen kennt,kennen fragt,fragen hört,hören besucht,besuchen",
    ),
    _field(
        "fest,n,feste sitzung,f,sitzungen reise,f,reisen spiel,n,spiele kurs,m,kurse wettbewerb,m,wettbewerbe ausstellung,f,ausstellungen",
        "sommer+ geburtstag+s rat+s gruppe+n fußball+ sprach+ kunst+ dorf+ tanz+ schiff+s rund+ karte+n blume+n musik+ "
        "auto+ koch+ vorstand+s straße+n kind+er bild+er",
        "groß lang fröhlich jährlich wichtig kurz öffentlich klein",
        "organisiert,organisieren plant,planen eröffnet,eröffnen beendet,beenden genießt,genießen",
    ),
)

PLACES = (FIELDS[1], FIELDS[6])
AGENTS = (FIELDS[5], FIELDS[8])
PREPOSITIONS = ("mit", "von", "bei", "aus", "neben", "vor", "hinter")
ADVERBS = ("heute", "gestern", "dort", "oft", "manchmal", "bald", "endlich", "vielleicht")
PRONOUNS = (("er", False), ("sie", False), ("man", False), ("wir", True), ("sie", True))
CONJUNCTIONS = ("und", "aber", "denn")
