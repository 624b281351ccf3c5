// Every text of the page, in every language of the page. A test checks that all languages have the same ones.
export const texts = {
  en: {
    skip: "To the content", author: "Your name", language: "Language of this page", steps: "The way",
    project: "Words", grammar: "Grammar", learning: "Learning", review: "Review", results: "Results", models: "Models",
    connection: "The studio does not answer. Is it still running?", notUnderstood: "The request was not understood.",
    readOnly: "You have a link for reading: nothing can be changed by it.",
    words: "words", more: "More", save: "Save", open: "Open", undo: "Undo", undone: "Undone: {n} changes.", saved: "Saved.",
    of: "{n} of {total}", previous: "Previous", next: "Next",
    // words
    dropFile: "Drop a file here, or choose one", dropHint: "A word list, a text, a table, LIFT or flextext of FieldWorks, or a CLDF data set (zip). It stays on this machine.",
    fileRead: "{name}: read as {format}", wordsTokens: "{words} different words, {tokens} in all", alreadyAnalysed: "{n} words came with an analysis",
    sentencesRead: "{n} sentences", charactersTitle: "{n} different characters", scripts: "Scripts", odd: "Odd words", none: "none", longest: "Longest word",
    sources: "Files", used: "used", addedBy: "added by {author}, {time}",
    preparation: "Preparation", trim: "Cut punctuation off the ends of words", lowercase: "Lower case", strip_marks: "Remove marks (vowel signs, accents)",
    digits: "Every digit becomes 0", normalise: "Unicode normal form (NFC)", effect: "{changed} of {read} words change; {words} words are left.", prepare: "Prepare like this",
    settings: "Project", titleOf: "Title", languageOf: "Code of the language (as in tgl or ar)", archive: "Whole project", downloadArchive: "Download as one file", openArchive: "Open an archive",
    archiveHint: "An archive opens in an empty project only.", history: "Changes", noWords: "There are no words yet. Add a file first.", toGrammar: "On to the grammar",
    change_decision: "decision", change_gloss: "gloss", change_note: "note", change_setting: "setting", change_source: "file",
    // grammar
    auto: "Choose for me", autoHint: "Candidates are compared by how well they predict words that were held back.", useAuto: "Learn with the automatic choice", compare: "Compare grammars now",
    galleryTitle: "What each kind of grammar sees in your words", useThis: "Use this one", inUse: "In use", looking: "Looking…",
    kind_affixes: "Prefixes and suffixes", "kind_root": "Root and template (vowels not written)", "kind_root-vocalised": "Root and template (vowels written)",
    kind_infix: "Infixes and reduplication", kind_circumfix: "Circumfixes", kind_compound: "Compounds",
    evidence: "Evidence", bits: "bits per character", behind: "behind", best: "best", ownTitle: "Write a grammar", shipped: "Begin with", ownHint: "Checked as you type. The trees show how the grammar alone parses these words:",
    useOwn: "Use this grammar", noProblems: "No problems.", line: "line {n}", noParse: "no analysis",
    // learning
    learn: "Learn", learnAgain: "Learn again with my corrections", withGrammar: "Grammar: {name}", sweeps: "Sweeps", chains: "Chains", automatic: "automatic choice", ownName: "your own",
    state_queued: "waiting", state_running: "learning", state_stopped: "stopped", state_done: "done", state_failed: "failed",
    stage_first: "A first answer from the most frequent words", stage_choose: "Comparing grammars", stage_sweeps: "Sweep {done} of {total}", stage_analyses: "Writing the analyses",
    stop: "Stop", goOn: "Go on", moreSweeps: "{n} sweeps more", firstAfter: "first answer after {n} s", run: "Run {n}", kind_learn: "Learning", kind_choose: "Choice of a grammar",
    agree: "The chains agree on {now} of the words", agreeRising: "it was {half} at half time and is rising: more sweeps help.", agreeStill: "that has stopped moving: stable.", agreeLow: "that has stopped moving; corrections will decide more than sweeps.",
    evidenceOf: "{n} of your decisions are evidence", continues: "goes on from run {run}: {kept} of the words kept their analysis", leftOut: "Not usable as evidence",
    runs: "Runs", closeHint: "You may close this page: learning goes on, and nothing is lost.", toReview: "Review the words", accuracyTitle: "Words held back from learning",
    accuracyHint: "Every fifth word you decide on is kept from learning. On these {words} words: borders F1 {f1}, words wholly right {whole}.", rootsRight: "roots right {roots}",
    noAccuracy: "Every fifth word you decide on is kept from learning and shows here how good the analyses are.", changedTitle: "What your corrections changed elsewhere", changedWords: "{changed} of {compared} other words have a new analysis.",
    was: "was", is: "is", noChange: "Learn again after some corrections: what they change in other words is shown here.",
    // review
    show_offered: "Worth your time", show_unsure: "Uncertain", show_disagree: "Chains disagree", show_undecided: "Not decided", show_decided: "Decided", show_without: "Without analysis", show_all: "All words",
    search: "Search", in_words: "words", in_morphemes: "morphemes", in_roots: "roots", in_templates: "templates", pattern: "regular expression", find: "Find", clear: "Clear",
    accept: "Accept", draw: "Draw it yourself", drawHint: "Tap between letters to set a border, tap a letter to mark it as a root letter. Keys: arrows move, space sets.", saveDrawn: "Save this analysis", reset: "Start over", clearDecision: "Take back the decision",
    borderAt: "border after {before}", letter: "letter {n}: {text}, root letter", label: "what it is", root: "Root", noRoot: "no root letters marked", decided: "decided by {author}, {time}", heldBack: "kept from learning, to measure", sure: "sure", count: "frequency {n}",
    note: "Note", trees: "Trees", showTrees: "Show the trees", allWith: "All words with {text}", acceptAll: "Accept all {n} that are not decided", acceptedAll: "{n} words accepted.",
    stale: "{author} decided on this word at {time}, after you had opened it:", takeTheirs: "Keep theirs", useMine: "Replace it by mine", keys: "Keys: A or Enter accepts, 1 to 5 choose, J and K go down and up, U undoes.",
    empty: "No words here.", newAnalyses: "There are new analyses.", reload: "Show them", noAnalysis: "The grammar has no analysis of this word.", notYet: "Nothing was learnt yet. Go to Learning.", chainsDisagree: "the chains disagree",
    // results
    lexicon: "Lexicon", text: "text", labelColumn: "label", tokens: "tokens", gloss: "gloss", contains: "contains…", all: "all", paradigms: "Paradigms", base: "A stem or root; empty for the largest", show: "Show", gapHint: "Forms in italics are not in the list: they would fill gaps.",
    interlinear: "Interlinear text", interlinearHint: "Your sentences, one per line; empty for those of your files.", downloads: "Downloads", download: "Download", onCommandLine: "The same on the command line",
    file_lift: "LIFT, for FieldWorks", file_flextext: "flextext, for FieldWorks", file_cldf: "CLDF data set", file_tsv: "Table (TSV)", file_json: "JSON", file_morfessor: "Morfessor", file_unimorph: "UniMorph", file_conllu: "CoNLL-U", file_igt: "Interlinear text", file_fst: "Finite-state transducer",
    file_words: "The words", file_known: "Your decisions", file_glosses: "Your glosses", file_grammar: "The grammar", file_sketch: "Report (grammar sketch)", file_model: "The model", file_run: "How it was learnt", openReport: "Open the report",
    // models
    modelsHint: "Ask the model about any word, also about ones that are not in the list. Language models and vectors that were learnt on the command line can be added: then there are tabs for sentences and vectors too.", addModel: "Add a model (.binyan)", takeAway: "Take away",
  },
  de: {
    skip: "Zum Inhalt", author: "Ihr Name", language: "Sprache dieser Seite", steps: "Der Weg",
    project: "Wörter", grammar: "Grammatik", learning: "Lernen", review: "Durchsicht", results: "Ergebnisse", models: "Modelle",
    connection: "Das Studio antwortet nicht. Läuft es noch?", notUnderstood: "Die Anfrage wurde nicht verstanden.",
    readOnly: "Sie haben einen Link zum Lesen: Damit lässt sich nichts ändern.",
    words: "Wörter", more: "Mehr", save: "Speichern", open: "Öffnen", undo: "Rückgängig", undone: "Rückgängig gemacht: {n} Änderungen.", saved: "Gespeichert.",
    of: "{n} von {total}", previous: "Zurück", next: "Weiter",
    dropFile: "Datei hierher ziehen oder auswählen", dropHint: "Eine Wortliste, ein Text, eine Tabelle, LIFT oder flextext aus FieldWorks oder ein CLDF-Datensatz (zip). Sie bleibt auf diesem Rechner.",
    fileRead: "{name}: gelesen als {format}", wordsTokens: "{words} verschiedene Wörter, {tokens} insgesamt", alreadyAnalysed: "{n} Wörter brachten eine Analyse mit",
    sentencesRead: "{n} Sätze", charactersTitle: "{n} verschiedene Zeichen", scripts: "Schriften", odd: "Auffällige Wörter", none: "keine", longest: "Längstes Wort",
    sources: "Dateien", used: "benutzt", addedBy: "hinzugefügt von {author}, {time}",
    preparation: "Vorbereitung", trim: "Satzzeichen an den Wortenden abschneiden", lowercase: "Kleinschreibung", strip_marks: "Zusatzzeichen entfernen (Vokalzeichen, Akzente)",
    digits: "Jede Ziffer wird 0", normalise: "Unicode-Normalform (NFC)", effect: "{changed} von {read} Wörtern ändern sich; {words} Wörter bleiben.", prepare: "So vorbereiten",
    settings: "Projekt", titleOf: "Titel", languageOf: "Kürzel der Sprache (etwa tgl oder ar)", archive: "Ganzes Projekt", downloadArchive: "Als eine Datei herunterladen", openArchive: "Archiv öffnen",
    archiveHint: "Ein Archiv lässt sich nur in einem leeren Projekt öffnen.", history: "Änderungen", noWords: "Es gibt noch keine Wörter. Fügen Sie zuerst eine Datei hinzu.", toGrammar: "Weiter zur Grammatik",
    change_decision: "Entscheidung", change_gloss: "Glosse", change_note: "Notiz", change_setting: "Einstellung", change_source: "Datei",
    auto: "Für mich auswählen", autoHint: "Verglichen wird, wie gut die Kandidaten zurückgehaltene Wörter vorhersagen.", useAuto: "Mit automatischer Auswahl lernen", compare: "Grammatiken jetzt vergleichen",
    galleryTitle: "Was jede Art von Grammatik in Ihren Wörtern sieht", useThis: "Diese benutzen", inUse: "In Gebrauch", looking: "Einen Augenblick …",
    kind_affixes: "Präfixe und Suffixe", "kind_root": "Wurzel und Muster (Vokale nicht geschrieben)", "kind_root-vocalised": "Wurzel und Muster (Vokale geschrieben)",
    kind_infix: "Infixe und Reduplikation", kind_circumfix: "Zirkumfixe", kind_compound: "Komposita",
    evidence: "Belege", bits: "Bit pro Zeichen", behind: "Abstand", best: "am besten", ownTitle: "Eine Grammatik schreiben", shipped: "Beginnen mit", ownHint: "Beim Tippen geprüft. Die Bäume zeigen, wie die Grammatik allein diese Wörter zerlegt:",
    useOwn: "Diese Grammatik benutzen", noProblems: "Keine Probleme.", line: "Zeile {n}", noParse: "keine Analyse",
    learn: "Lernen", learnAgain: "Mit meinen Korrekturen weiterlernen", withGrammar: "Grammatik: {name}", sweeps: "Durchläufe", chains: "Ketten", automatic: "automatische Auswahl", ownName: "Ihre eigene",
    state_queued: "wartet", state_running: "lernt", state_stopped: "angehalten", state_done: "fertig", state_failed: "gescheitert",
    stage_first: "Eine erste Antwort aus den häufigsten Wörtern", stage_choose: "Grammatiken werden verglichen", stage_sweeps: "Durchlauf {done} von {total}", stage_analyses: "Analysen werden geschrieben",
    stop: "Anhalten", goOn: "Weiter", moreSweeps: "{n} Durchläufe mehr", firstAfter: "erste Antwort nach {n} s", run: "Lauf {n}", kind_learn: "Lernen", kind_choose: "Auswahl einer Grammatik",
    agree: "Die Ketten stimmen bei {now} der Wörter überein", agreeRising: "zur Halbzeit waren es {half}, und es werden mehr: Weitere Durchläufe helfen.", agreeStill: "das bewegt sich nicht mehr: stabil.", agreeLow: "das bewegt sich nicht mehr; Korrekturen entscheiden nun mehr als Durchläufe.",
    evidenceOf: "{n} Ihrer Entscheidungen gehen als Belege ein", continues: "setzt Lauf {run} fort: {kept} der Wörter behielten ihre Analyse", leftOut: "Nicht als Beleg verwendbar",
    runs: "Läufe", closeHint: "Sie können diese Seite schließen: Das Lernen geht weiter, und nichts geht verloren.", toReview: "Wörter durchsehen", accuracyTitle: "Vom Lernen zurückgehaltene Wörter",
    accuracyHint: "Jedes fünfte Wort, über das Sie entscheiden, wird vom Lernen zurückgehalten. Bei diesen {words} Wörtern: F1 der Grenzen {f1}, ganz richtige Wörter {whole}.", rootsRight: "richtige Wurzeln {roots}",
    noAccuracy: "Jedes fünfte Wort, über das Sie entscheiden, wird vom Lernen zurückgehalten und zeigt hier, wie gut die Analysen sind.", changedTitle: "Was Ihre Korrekturen anderswo geändert haben", changedWords: "{changed} von {compared} anderen Wörtern haben eine neue Analyse.",
    was: "vorher", is: "jetzt", noChange: "Lernen Sie nach einigen Korrekturen weiter: Was sie an anderen Wörtern ändern, steht dann hier.",
    show_offered: "Am lohnendsten", show_unsure: "Unsicher", show_disagree: "Ketten uneins", show_undecided: "Nicht entschieden", show_decided: "Entschieden", show_without: "Ohne Analyse", show_all: "Alle Wörter",
    search: "Suche", in_words: "Wörter", in_morphemes: "Morpheme", in_roots: "Wurzeln", in_templates: "Muster", pattern: "regulärer Ausdruck", find: "Suchen", clear: "Leeren",
    accept: "Annehmen", draw: "Selbst zeichnen", drawHint: "Zwischen Buchstaben tippen setzt eine Grenze, auf einen Buchstaben tippen macht ihn zum Wurzelbuchstaben. Tasten: Pfeile bewegen, Leertaste setzt.", saveDrawn: "Diese Analyse speichern", reset: "Von vorn", clearDecision: "Entscheidung zurücknehmen",
    borderAt: "Grenze nach {before}", letter: "Buchstabe {n}: {text}, Wurzelbuchstabe", label: "was es ist", root: "Wurzel", noRoot: "keine Wurzelbuchstaben markiert", decided: "entschieden von {author}, {time}", heldBack: "vom Lernen zurückgehalten, zum Messen", sure: "sicher", count: "Häufigkeit {n}",
    note: "Notiz", trees: "Bäume", showTrees: "Bäume zeigen", allWith: "Alle Wörter mit {text}", acceptAll: "Alle {n} nicht entschiedenen annehmen", acceptedAll: "{n} Wörter angenommen.",
    stale: "{author} hat über dieses Wort um {time} entschieden, nachdem Sie es geöffnet hatten:", takeTheirs: "Die andere behalten", useMine: "Durch meine ersetzen", keys: "Tasten: A oder Eingabe nimmt an, 1 bis 5 wählen, J und K gehen ab und auf, U macht rückgängig.",
    empty: "Hier sind keine Wörter.", newAnalyses: "Es gibt neue Analysen.", reload: "Zeigen", noAnalysis: "Die Grammatik hat keine Analyse dieses Wortes.", notYet: "Es wurde noch nichts gelernt. Gehen Sie zu Lernen.", chainsDisagree: "die Ketten sind uneins",
    lexicon: "Lexikon", text: "Text", labelColumn: "Art", tokens: "Vorkommen", gloss: "Glosse", contains: "enthält …", all: "alle", paradigms: "Paradigmen", base: "Ein Stamm oder eine Wurzel; leer: die größten", show: "Zeigen", gapHint: "Kursive Formen stehen nicht in der Liste: Sie würden Lücken füllen.",
    interlinear: "Interlinearer Text", interlinearHint: "Ihre Sätze, einer pro Zeile; leer: die Ihrer Dateien.", downloads: "Herunterladen", download: "Herunterladen", onCommandLine: "Dasselbe auf der Befehlszeile",
    file_lift: "LIFT, für FieldWorks", file_flextext: "flextext, für FieldWorks", file_cldf: "CLDF-Datensatz", file_tsv: "Tabelle (TSV)", file_json: "JSON", file_morfessor: "Morfessor", file_unimorph: "UniMorph", file_conllu: "CoNLL-U", file_igt: "Interlinearer Text", file_fst: "Endlicher Transduktor",
    file_words: "Die Wörter", file_known: "Ihre Entscheidungen", file_glosses: "Ihre Glossen", file_grammar: "Die Grammatik", file_sketch: "Bericht (Grammatikskizze)", file_model: "Das Modell", file_run: "Wie gelernt wurde", openReport: "Bericht öffnen",
    modelsHint: "Fragen Sie das Modell nach beliebigen Wörtern, auch nach solchen, die nicht in der Liste sind. Sprachmodelle und Vektoren, die auf der Kommandozeile gelernt wurden, lassen sich hinzufügen: Dann gibt es auch Reiter für Sätze und Vektoren.", addModel: "Ein Modell hinzufügen (.binyan)", takeAway: "Entfernen",
  },
};

let chosen = "en";

export const language = () => chosen;
export function speak(name) {
  chosen = texts[name] ? name : "en";
  document.documentElement.lang = chosen;
}

// A text in the chosen language, its {places} filled.
export const t = (key, values = {}) =>
  (texts[chosen][key] ?? key).replace(/\{(\w+)\}/g, (whole, name) => (name in values ? values[name] : whole));
