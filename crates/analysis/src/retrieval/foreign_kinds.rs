//! The kinds of things that German, French and Spanish questions ask for, and whether a sentence of such a language has
//! one, in addition to what [`super::kinds`] recognises in any.

use std::sync::LazyLock;

use regex::Regex;

use super::kinds::{Kind, is_match, pattern};

/// Question patterns and the kind they ask for; the first match counts.
static WANTED: &[(&str, Kind)] = &[
    (
        r"\bwie (?:oft|häufig|regelmäßig)\b|\bin welchen abständen\b|\bcombien de fois\b|\bcuántas veces\b|\bcon qué frecuencia\b",
        Kind::Frequency,
    ),
    (r"\bwie lange\b|\bcombien de temps\b|\bcuánto tiempo\b", Kind::Duration),
    (
        r"\bwie ?viel\b.*\b(?:kostet|kosten|zahlt|zahlen|bezahlen|verdient|euro)\b|\bwas (?:kostet|kosten)\b|\bwie teuer\b|\bwelche[rn]? (?:preis|gebühr|kosten)\b|\bwie hoch (?:ist|sind|war|waren) (?:der|die|das|unser|unsere|mein|meine) (?:\w*(?:beitrag|gebühr|preis|kosten|miete|kaution|honorar|gehalt|lohn|eintritt)\w*)\b|\bcombien (?:coûte|coûtent|paie)\b|\bquel (?:est le )?prix\b|\bcuánto (?:cuesta|cuestan|vale)\b|\bqué precio\b",
        Kind::Money,
    ),
    (
        r"\bwie ?viele?\b|\bab welchem alter\b|\bwie (?:hoch|groß|weit|tief|breit|schwer|alt|laut|schnell)\b|\bcombien\b|\bquel âge\b|\bcuánt[oa]s?\b|\bqué edad\b",
        Kind::Number,
    ),
    (
        r"\b(?:wann|um wie viel uhr|(?:bis|ab|seit) wann)\b|\b(?:an|in) welche[mrn] (?:tag|tagen|monat|jahr|datum)\b|\bquand\b|\b[àa] quelle heure\b|\bquel jour\b|\bcuándo\b|\ba qué hora\b|\bqué día\b",
        Kind::Time,
    ),
    (
        r"\b(?:wer|wem|wen|wessen)\b|\bqui\b|\bquiénes?\b|\b(?:welche[rsmn]?|quel(?:le)?s?|qué) (?:firma|unternehmen|person|entreprise|société|personne|empresa|persona)\b",
        Kind::Person,
    ),
    (r"\b(?:wo|wohin|woher)\b|\boù\b|^d'ou\b|\b(?:a|de)?dónde\b", Kind::Place),
    (r"\b(?:warum|wieso|weshalb)\b|\bpourquoi\b|\bpor qué\b", Kind::Reason),
];

static PATTERNS: LazyLock<Vec<(Regex, Kind)>> = LazyLock::new(|| {
    let compiled = WANTED.iter().filter_map(|(pattern, kind)| Some((Regex::new(pattern).ok()?, *kind)));
    compiled.collect()
});

pattern!(
    FREQUENCY,
    r"(?i)\b(?:alle|jede[nmrs]?|täglich|wöchentlich|monatlich|jährlich|halbjährlich|vierteljährlich|einmal|zweimal|dreimal|\w+mal|stets|immer|nie|regelmäßig|pro|tous|toutes|chaque|fois|par (?:jour|semaine|mois|an)|jamais|toujours|cada|todos|todas|vez|veces|al (?:día|mes|año)|siempre|nunca)\b"
);
pattern!(
    TIME,
    r"(?i)\b(?:montags?|dienstags?|mittwochs?|donnerstags?|freitags?|samstags?|sonntags?|januar|februar|märz|april|mai|juni|juli|august|september|oktober|november|dezember|täglich|wöchentlich|monatlich|morgens|mittags|abends|nachts|bis|ab|vor|nach|seit|lundi|mardi|mercredi|jeudi|vendredi|samedi|dimanche|janvier|février|mars|avril|juin|juillet|août|septembre|octobre|novembre|décembre|matin|soir|avant|après|lunes|martes|miércoles|jueves|viernes|sábado|domingo|enero|febrero|marzo|abril|mayo|junio|julio|agosto|septiembre|octubre|noviembre|diciembre|mañana|tarde|antes|después)\b|\b\d+ ?h\b"
);
pattern!(
    NUMBER,
    r"(?i)\b(?:ein|eine[nmrs]?|elf|zwölf|zwanzig|dreißig|vierzig|fünfzig|hundert|tausend|halbe[nrs]?|zu (?:zweit|dritt|viert)|un|une|six|sept|huit|neuf|dix|onze|douze|vingt|trente|cent|mille|uno|una|dos|tres|cuatro|cinco|seis|siete|ocho|nueve|diez|once|doce|veinte|treinta|cien|mil)\b"
);
pattern!(
    DURATION,
    r"(?i)\b(?:sekunden?|minuten?|stunden?|tage?n?|wochen?|monate?n?|jahre?n?|secondes?|minutes?|heures?|jours?|semaines?|mois|ans?|années?|segundos?|minutos?|horas?|días?|semanas?|mes(?:es)?|años?)\b"
);
pattern!(MONEY, r"(?i)\b(?:kostenlos|umsonst|gratis|franken|gratuit(?:e|ement)?)\b");
pattern!(
    PERSON,
    r"\b(?:[Dd]urch|[Vv]on|[Pp]ar|[Pp]or)\b|\b\p{Lu}\p{Ll}+ \p{Lu}\p{Ll}+|(?i)\b\w*(?:leiter|leitung|firma|team|vorstand|verwaltung|directeur|directrice|chef|équipe|director|directora|equipo)(?:in)?\b"
);
pattern!(
    PLACE,
    r"(?i)\b(?:in|im|ins|an|am|auf|bei|beim|neben|hinter|unter|vor|nach|zum|zur|dans|à|au|aux|chez|sur|en|junto)\b"
);
pattern!(REASON, r"(?i)\b(?:weil|denn|damit|wegen|grund|da|um|parce|car|afin|cause|grâce|porque|debido|causa|para)\b");

/// Returns the kind that a question in one of these languages asks for.
pub(super) fn wanted(question: &str) -> Option<Kind> {
    let lower = question.to_lowercase();
    PATTERNS.iter().find(|(pattern, _)| pattern.is_match(&lower)).map(|(_, kind)| *kind)
}

/// Returns whether a lower-case word of a question that follows "welche", "quel" or "qué" names a kind.
pub(super) fn names_kind(kind: Kind, word: &str) -> bool {
    let names: &[&str] = match kind {
        Kind::Person => &["firma", "unternehmen", "person", "entreprise", "société", "personne", "empresa", "persona"],
        Kind::Time => &[
            "tag", "tagen", "monat", "monaten", "jahr", "jahren", "datum", "uhrzeit", "jour", "jours", "mois", "année",
            "date", "heure", "día", "días", "mes", "año", "fecha", "hora",
        ],
        Kind::Money => &["preis", "gebühr", "kosten", "prix", "precio"],
        Kind::Number => &["alter", "zahl", "âge", "nombre", "edad", "número"],
        Kind::Frequency => &["abständen", "frecuencia"],
        _ => &[],
    };
    names.contains(&word)
}

/// Returns whether a lower-case word is a unit, so that "how many" of it asks for a measure rather than for a thing.
pub(super) fn is_unit(word: &str) -> bool {
    is_match(&DURATION, word)
        || ["euro", "euros", "franken", "francs", "prozent", "meter", "mètres", "metros"].contains(&word)
}

/// Returns whether a sentence has a thing of a kind as these languages write it.
pub(super) fn is_in(kind: Kind, text: &str) -> bool {
    let has_number = || kind_number(text);
    match kind {
        Kind::Frequency => is_match(&FREQUENCY, text),
        Kind::Time => is_match(&TIME, text) || has_number() && is_match(&DURATION, text),
        Kind::Number => is_match(&NUMBER, text),
        Kind::Duration => has_number() && is_match(&DURATION, text),
        Kind::Money => is_match(&MONEY, text),
        Kind::Person => is_match(&PERSON, text),
        Kind::Place => is_match(&PLACE, text),
        Kind::Reason => is_match(&REASON, text),
        _ => false,
    }
}

fn kind_number(text: &str) -> bool {
    Kind::Number.is_in(text) || is_match(&NUMBER, text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn question_words_of_other_languages_identify_the_kind() {
        for (question, kind) in [
            ("Wie oft wird das Licht geprüft?", Kind::Frequency),
            ("Wie viele Boote liegen hier?", Kind::Number),
            ("Was kostet eine Nacht?", Kind::Money),
            ("Wie hoch ist der Jahresbeitrag?", Kind::Money),
            ("Wer prüft das Licht?", Kind::Person),
            ("Wohin mit dem Öl?", Kind::Place),
            ("Bis wann ist das Büro offen?", Kind::Time),
            ("Combien de temps dure la traversée ?", Kind::Duration),
            ("Pourquoi le quai est-il fermé ?", Kind::Reason),
            ("A quelle heure faut-il être au port ?", Kind::Time),
            ("¿Cuándo abre la oficina?", Kind::Time),
        ] {
            assert_eq!(wanted(question), Some(kind), "{question}");
        }
    }

    #[test]
    fn a_sentence_of_another_language_has_or_lacks_a_kind() {
        assert!(is_in(Kind::Frequency, "Das Licht wird alle sechs Monate geprüft."));
        assert!(!is_in(Kind::Frequency, "Das Licht wird geprüft."));
        assert!(is_in(Kind::Time, "Le bureau ouvre lundi.") && is_in(Kind::Duration, "Dura dos horas."));
        assert!(is_in(Kind::Place, "Lappen kommen in die Tonne.") && !is_in(Kind::Money, "Es ist offen."));
    }
}
