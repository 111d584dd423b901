//! Detects wishes without an action that could be completed: "take care of the insurance mess", "get fitter somehow".
//!
//! Called by [`super::unclear_change`].

use crate::language::Today;
use crate::language::text::phrases::{after_any, before_end, has_any, without_marks};
use crate::language::text::tokens::Token;
use crate::language::text::vocabulary::TO_DO;
use crate::language::values::when::When;

/// Verbs that only ask for something to be improved.
const CARING: &str = "do|handle|sort|sort out|fix|deal with|take care of|see to|look after|look into|tackle|work on|\
    get on top of|figure out|work out|address|get on with|clear up|get to grips with|attend to|manage|resolve|settle|\
    get sorted|get through|finish off|finish|catch up on|think about|do something about|do something with";

/// Nouns for problems that do not name what to do.
const TROUBLES: &str = "mess|situation|stuff|thing|things|business|chaos|whatnot|bits";

const SELF: &str = "myself|my life|my act together|my life together|my life out|life|things|everything|it all|\
    some stuff|some things|a few things|a few bits";

const BECOMING: &str = "get|be|become|feel|live|stay|eat|sleep|do|spend|work|relax|worry|lose|try to be|try to get";

const BETTER: &str = "better|fitter|healthier|happier|calmer|stronger|slimmer|smarter|leaner|thinner|tidier|kinder|\
    fit|healthy|organised|organized|in shape|into shape|more|less|back in shape|back on track|some rest|weight|\
    more organised|more organized|more productive|more disciplined|more active|more patient|more done|more relaxed|\
    less stressed|less tired|less busy|my act together";

/// Returns whether a clause is such a wish.
#[must_use]
pub fn is_vague(clause: &[Token], today: Today) -> bool {
    let wish = clause;
    let rest = after_any(clause, &TO_DO).unwrap_or(clause);
    let rest = after_any(rest, "please|maybe|perhaps|just|really").unwrap_or(rest);
    let helped = after_any(rest, "help me to|help me with|help me|help us to|help us");
    let rest = without_marks(helped.unwrap_or(rest));
    let when = When::read(rest, today);
    if rest.is_empty() {
        return false;
    }
    // "Run more often", "drink less".
    if rest.len() > 1
        && before_end(rest, "more often|less often|more|less|a bit more|a bit less").is_some()
        && when.date.is_none()
    {
        return true;
    }
    if wish.iter().any(|word| word.is_one_of("somehow|someway")) {
        return true;
    }
    let timed = when.date.is_some() || when.time.is_some() || when.repeat.is_some();
    let becomes = after_any(rest, BECOMING).is_some_and(|how| {
        after_any(how, BETTER).is_some_and(<[Token]>::is_empty)
            || (helped.is_some() && !how.is_empty() && !has_any(how, "the|to"))
    });
    let more = after_any(rest, "be more|be less|become more|become less|feel more|feel less|live more|live less")
        .is_some_and(|how| how.len() == 1);
    let begins = || {
        after_any(rest, "make a start|get going|get started|get a move on|do the needful|make it happen")
            .is_some_and(<[Token]>::is_empty)
    };
    let finds = after_any(
        rest,
        "find a day for|find a date for|find a time for|find time for|find a slot for|find some time for|\
        make room for|make time for|\
        make some time for",
    )
    .is_some();
    let missing_value =
        || after_any(rest, "do something about|do something for|do something with|do something nice").is_some();
    (!timed && (becomes || more)) || begins() || (finds && !timed) || missing_value() || cares_for_trouble(rest, &when)
}

/// Matches "Sort out the garage situation".
fn cares_for_trouble(rest: &[Token], when: &When) -> bool {
    let Some(object) = after_any(rest, CARING) else { return false };
    if after_any(object, SELF).is_some_and(<[Token]>::is_empty) {
        return true;
    }
    let lead = rest.len() - object.len();
    let remaining: Vec<&Token> = object
        .iter()
        .zip(&when.used[lead..])
        .filter(|(word, used)| !**used && !word.is_mark())
        .map(|(word, _)| word)
        .collect();
    remaining.len() > 1
        && remaining[0].is_one_of("the|that|this|my|our|all|some|those|these")
        && remaining.last().is_some_and(|last| last.is_one_of(TROUBLES))
}
