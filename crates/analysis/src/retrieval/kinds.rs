//! The kind of thing that a question asks for, and whether a sentence contains one.

use std::sync::LazyLock;

use regex::Regex;

/// A kind of answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Kind {
    /// How many, or how much of anything.
    Number,
    Money,
    /// How long, how soon.
    Duration,
    /// When: a time of day, a weekday, a date.
    Time,
    /// Which year.
    Year,
    /// How often.
    Frequency,
    Share,
    Degrees,
    /// Who.
    Person,
    /// Where.
    Place,
    /// What something is called.
    Name,
    /// Why.
    Reason,
    IpAddress,
    Telephone,
    Email,
    /// Which version or release.
    Version,
}

/// Defines a regular expression that is compiled at first use. An invalid one matches nothing.
macro_rules! pattern {
    ($name:ident, $pattern:expr) => {
        static $name: LazyLock<Option<Regex>> = LazyLock::new(|| super::kinds::compiled($pattern));
    };
}
pub(super) use pattern;

/// Compiles a pattern with ASCII word boundaries: Unicode ones are a hundred times slower in a text with a single
/// non-ASCII letter.
pub(super) fn compiled(pattern: &str) -> Option<Regex> {
    Regex::new(&pattern.replace(r"\b", r"(?-u:\b)")).ok()
}

pub(super) fn is_match(pattern: &LazyLock<Option<Regex>>, text: &str) -> bool {
    pattern.as_ref().is_some_and(|pattern| pattern.is_match(text))
}

pattern!(
    NUMBER,
    r"(?i)\d|\b(?:one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|thirteen|fourteen|fifteen|sixteen|seventeen|eighteen|nineteen|twenty|thirty|forty|fifty|sixty|seventy|eighty|ninety|hundred|thousand|million|half|dozen|once|twice|double|third|quarter|fifth|sixth|eighth|tenth|none|no|zwei|drei|vier|fünf|sechs|sieben|acht|neun|zehn|deux|trois|quatre|cinq)\b"
);
pattern!(
    MONEY,
    r"(?i)(?:[€$£¥]|\b(?:eur|usd|gbp|chf|euros?|dollars?|pounds?|cents?|francs?|pence|yen|kronor|crowns?)\b|\bfree(?:\s+of\s+charge)?\b|\bcosts? nothing\b)"
);
pattern!(
    DURATION,
    r"(?i)\b(?:seconds?|minutes?|hours?|days?|nights?|weeks?|fortnights?|months?|quarters?|years?|decades?|sekunden?|minuten?|stunden?|tage?n?|wochen?|monate?n?|jahre?n?|secondes?|heures?|jours?|semaines?|mois|ans?|années?|for ever|immediately|at once|until)\b|\d ?(?:h|hrs?|min|mins|secs?)\b"
);
// "May" and "March" are months only with a capital, and beside a number or a word for a time: "you may", "the march".
pattern!(
    TIME,
    r"(?i)\b\d{1,2}[:.]\d\d\b|\b\d{1,2}\s?(?:am|pm|o'clock|uhr)\b|\b(?:mon|tues|wednes|thurs|fri|satur|sun)days?\b|\b(?:january|february|april|june|july|august|september|october|november|december)\b|\b(?:\d{1,2}(?:st|nd|rd|th|\.)?(?: of)?|in|until|till|since|from|by|to|through|and|or|of|early|late|mid|before|after|during|between|every|each|last|next|this|on)[ -](?-i:May|March)\b|\b(?-i:May|March),? \d|\b(?:noon|midnight|morning|afternoon|evening|night|daily|weekly|monthly|yearly|spring|summer|autumn|winter|today|immediately|at once|before|after|until|within|since)\b|\b(?:19|20)\d\d\b|\b(?:in|since|from|until|till|by|of|after|before|around|about|circa|between) (?:1[0-8]|21)\d\d\b"
);
pattern!(YEAR, r"\b(?:1[0-9]|2[01])\d\d\b|'\d\d\b");
pattern!(
    FREQUENCY,
    r"(?i)\b(?:every|each|once|twice|times|daily|nightly|hourly|weekly|monthly|quarterly|yearly|annually|annual|regularly|never|always|per (?:day|week|month|year)|a (?:day|week|month|year))\b"
);
pattern!(SHARE, r"(?i)%|\b(?:per ?cent|percentage|prozent|pour cent|half|third|quarter|fifth|tenth)\b");
pattern!(DEGREES, r"(?i)°|\bdegrees?\b|\bcelsius\b|\bfahrenheit\b");
pattern!(
    PERSON,
    r"(?i)\b(?:lead|leader|manager|officer|director|head|chair|caretaker|captain|team|board|committee|office|assistant|owner|president|minister|author|editor|engineer|dispatcher|person|people|members?|staff|everyone|anyone|nobody|somebody|by the|to the|he|she|they|[A-Z][a-z]+ [A-Z][a-z]+)\b"
);
pattern!(
    PLACE,
    r"(?i)\b(?:in|at|on|to|from|beside|behind|under|near|next to|inside|outside|opposite)\s+(?:the|a|an|\p{Lu})"
);
pattern!(
    REASON,
    r"(?i)\b(?:because|so that|due to|owing to|since|as|caused?|causes|reason|trigger(?:ed)?|result|therefore|to avoid|in order to)\b"
);

pattern!(IP_ADDRESS, r"\b\d{1,3}(?:\.\d{1,3}){3}\b|(?i)\b[0-9a-f]{1,4}::|(?:[0-9a-f]{1,4}:){7}");
pattern!(
    TELEPHONE,
    r"(?i)(?:\+|\b0)\d[\d ()/-]{4,}\d|\b\d{3}\)?[ -]\d{3,4}-?\d{4}\b|\b(?:tel|phone|telephone|call|dial|extension)\b\D{0,20}\d{2,}"
);
pattern!(VERSION, r"(?i)\b(?:version|release|v) ?\d|\b\d+(?:\.\d+)+\b|\b\d+ (?:and|or) (?:newer|later|above)\b");
pattern!(EMAIL, r"\w@\w");

impl Kind {
    /// Returns whether a thing of this kind is recognised by how it is written, as an amount is: without one, a
    /// sentence does not answer. Persons, places, names and reasons may be written like anything else.
    pub(super) const fn is_unmistakable(self) -> bool {
        !matches!(self, Self::Person | Self::Place | Self::Name | Self::Reason | Self::Version)
    }

    /// Returns words that name the kind itself in a question; a text that has the thing need not have them.
    pub(super) const fn own_words(self) -> &'static [&'static str] {
        match self {
            Self::IpAddress => &["ip", "address"],
            Self::Telephone => &["telephone", "phone", "number"],
            Self::Email => &["email", "mail", "address"],
            Self::Version => &["version", "release", "edition"],
            Self::Year => &["year"],
            _ => &[],
        }
    }

    /// Returns whether a sentence contains a thing of this kind.
    #[must_use]
    pub fn is_in(self, text: &str) -> bool {
        match self {
            Self::Number => is_match(&NUMBER, text),
            Self::Money => is_match(&MONEY, text),
            Self::Duration => is_match(&NUMBER, text) && is_match(&DURATION, text),
            Self::Time => is_match(&TIME, text) || is_match(&NUMBER, text) && is_match(&DURATION, text),
            Self::Year => is_match(&YEAR, text),
            Self::Frequency => is_match(&FREQUENCY, text),
            Self::Share => is_match(&SHARE, text),
            Self::Degrees => is_match(&DEGREES, text),
            Self::Person => is_match(&PERSON, text),
            Self::Place => is_match(&PLACE, text),
            Self::Reason => is_match(&REASON, text),
            Self::IpAddress => is_match(&IP_ADDRESS, text),
            Self::Telephone => is_match(&TELEPHONE, text),
            Self::Email => is_match(&EMAIL, text),
            Self::Version => is_match(&VERSION, text),
            Self::Name => {
                text.contains([':', '"', '“', '„', '«']) || text.contains(" called ") || text.contains(" is ")
            }
        }
    }
}

/// Question patterns and the kind they ask for; the first match counts.
static WANTED: &[(&str, Kind)] = &[
    (r"\bip address", Kind::IpAddress),
    (r"\b(?:tele)?phone number", Kind::Telephone),
    (r"\be?-?mail address", Kind::Email),
    (r"\b(?:what|which) (?:\S+ ){0,2}(?:version|release)\b", Kind::Version),
    (r"\bhow (?:often|frequently|regularly|many times)\b|\bat what intervals?\b", Kind::Frequency),
    (
        r"\b(?:what|which) (?:share|percentage|proportion|part|fraction|rebate|discount)\b|\bhow many per ?cent\b|\bwhat per ?cent",
        Kind::Share,
    ),
    (r"\bby how (?:much|many)\b", Kind::Number),
    (r"\bhow (?:hot|cold|warm|cool)\b|\b(?:what|which) temperature\b", Kind::Degrees),
    (
        r"\bhow much (?:is|was|does|do|did|will|would|must|money|has|have|can|may)\b.*\b(?:cost|costs|pay|paid|charged?|earn|spend|spent|fee|price|worth|refund(?:ed)?|reimbursed?|money|claim|owe|donate)\b|\b(?:what|which) (?:is|was|are|were|does|do|did) .*\b(?:price|cost|costs|fee|fine|salary|wage|deposit|rent|premium|budget|charge|earn)\b|\bwhat am i charged\b|\b(?:what|which) (?:price|fee|cost|amount|sum)\b|\bhow (?:expensive|cheap)\b|\bhow much money\b",
        Kind::Money,
    ),
    (
        r"\bhow (?:long|soon|fast|quickly|early|late|old)\b|\bfor how long\b|\bhow (?:many|much) (?:\w+ )?(?:seconds|minutes|hours|days|nights|weeks|months|years|time|notice)\b|\b(?:what|which) (?:period|notice)\b",
        Kind::Duration,
    ),
    (r"\bhow (?:many|much|high|big|large|far|deep|wide|tall|heavy|strong|loud|small|thick|few)\b", Kind::Number),
    (
        r"\b(?:up to )?what (?:amount|number|quantity|limit|size|weight|height|width|speed|maximum|minimum|age)\b|\bat what \w+ (?:strength|speed|level)\b|\bwhat is the (?:\w+ )?(?:number|limit|maximum|minimum|size|weight|quota|rate)\b",
        Kind::Number,
    ),
    (r"\b(?:what|which) (?:\w+ )?year\b", Kind::Year),
    (
        r"\bwhen\b|\b(?:what|which) (?:time|hour|day|days|weekday|weekdays|date|month|hours)\b|\buntil (?:when|what)\b|\bby (?:when|what time)\b",
        Kind::Time,
    ),
    (r"\bwho\b|\bwhom\b|\bwhose\b|\bto which (?:person|office)\b", Kind::Person),
    (r"\bwhere\b|\b(?:what|which) (?:place|room|site|town|country|city|building)\b", Kind::Place),
    (r"\bwhy\b|\bwhat (?:made|caused)\b|\bfor what reason\b|\bhow come\b", Kind::Reason),
    (r"\bcalled\b|\bwhat (?:do|did) we call\b|\b(?:what|which) (?:name|word|term)\b", Kind::Name),
];

static PATTERNS: LazyLock<Vec<(Regex, Kind)>> = LazyLock::new(|| {
    let compiled = WANTED.iter().filter_map(|(pattern, kind)| Some((Regex::new(pattern).ok()?, *kind)));
    compiled.collect()
});

/// Returns the kind that a question asks for; `None` if its words do not indicate one.
#[must_use]
pub fn wanted(question: &str) -> Option<Kind> {
    let lower = question.to_lowercase();
    PATTERNS.iter().find(|(pattern, _)| pattern.is_match(&lower)).map(|(_, kind)| *kind)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn question_words_identify_the_kind() {
        for (question, kind) in [
            ("How many berths are there?", Some(Kind::Number)),
            ("How often is the light tested?", Some(Kind::Frequency)),
            ("How much does a night at the quay cost?", Some(Kind::Money)),
            ("For how long may a guest stay?", Some(Kind::Duration)),
            ("When does the office open?", Some(Kind::Time)),
            ("In which year was the light built?", Some(Kind::Year)),
            ("By how much is the charge reduced?", Some(Kind::Number)),
            ("Who tests the light?", Some(Kind::Person)),
            ("What share of the berths is free?", Some(Kind::Share)),
            ("Why was the pier closed?", Some(Kind::Reason)),
            ("What is the IP address of the lamp?", Some(Kind::IpAddress)),
            ("What is the telephone number of the keeper?", Some(Kind::Telephone)),
            ("What is the keeper's e-mail address?", Some(Kind::Email)),
            ("Describe the pier.", None),
        ] {
            assert_eq!(wanted(question), kind, "{question}");
        }
    }

    #[test]
    fn a_sentence_has_or_lacks_a_kind() {
        assert!(Kind::Money.is_in("It costs four euros.") && !Kind::Money.is_in("It has four decks."));
        assert!(Kind::Duration.is_in("Guests stay for two weeks.") && !Kind::Duration.is_in("Guests stay."));
        assert!(Kind::IpAddress.is_in("lamp: 10.0.0.7, on the pier") && !Kind::IpAddress.is_in("It opens at 09:30."));
        assert!(Kind::Telephone.is_in("Keeper: 0381 44902") && !Kind::Telephone.is_in("Customer 4471-882"));
        assert!(Kind::Email.is_in("ida@pier.example") && !Kind::Email.is_in("Write to Ida."));
        assert!(Kind::Time.is_in("It was built in 1883.") && !Kind::Time.is_in("It has 1883 steps."));
        assert!(Kind::Number.is_in("It is reduced by a fifth."));
        assert!(Kind::Year.is_in("Built in 1958.") && !Kind::Year.is_in("It was built today, before the pier."));
        assert!(Kind::Time.is_in("It opens at 09:30.") && Kind::Share.is_in("12 percent"));
        assert!(Kind::Duration.is_in("It takes 40 min.") && Kind::Duration.is_in("Open for 2h."));
    }

    #[test]
    fn a_verb_is_no_month() {
        for text in ["What you borrow you may give back.", "You may 2 times.", "May I come?", "They march.", "Ida May."]
        {
            assert!(!Kind::Time.is_in(text), "{text}");
        }
        for text in ["In May it is closed.", "Come on 3 May.", "May 2026", "The 1st of March", "It is open to May."] {
            assert!(Kind::Time.is_in(text), "{text}");
        }
    }
}
