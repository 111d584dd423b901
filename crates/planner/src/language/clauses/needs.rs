//! Rewrites statements that something is needed: "the tap needs fixing by Friday", "the report has to be done by
//! Monday", "I want the shed painted".
//!
//! Input: a clause. Output: the clause as a command, either a change of the record that it names or a new todo. Called
//! by [`super::topic`].

use super::topic::joined;
use crate::language::Reader;
use crate::language::text::past_forms::presents;
use crate::language::text::phrases::{after_any, around, before_end, has_any, listed};
use crate::language::text::tokens::Token;
use crate::language::text::vocabulary::{ADDING, MOVING, TASK_VERBS, TO_DO};
use crate::language::values::when::When;

/// Phrases before a participle: "has to be paid".
const TO_BE: &str = "needs to be|need to be|has to be|have to be|must be|should be|ought to be|is to be|are to be|\
    will have to be|\
    will need to be|has got to be|have got to be|had better be|needs to get|need to get|has to get|have to get|\
    must get|\
    still needs to be|still has to be|really needs to be|really has to be|needs to have been";

/// Phrases before a gerund: "needs fixing".
const NEEDING: &str = "needs|need|wants|will need|could do with|is due for|are due for|still needs|still need|\
    really needs|\
    really need|also needs|also need|requires|require|has to get|badly needs|badly need|urgently needs|urgently need";

/// Verbs that mean no more than getting something done.
pub(in crate::language) const DOING_IT: &str = "do|finish|complete|sort|handle|wrap|tackle|deal";

/// Verbs that change a record; they do not name the work to do.
const CHANGING: &str = "call|name|title|rename|mark|set|make|change|put|cancel|delete|remove|drop|scrap|archive|\
    repeat|schedule|skip|bin|\
    update|edit|start|begin|ready|go";

const NEEDED_VERB_PARTICLES: &str = "up|off|out|in|down|away|back|over|together";

impl Reader<'_> {
    /// Recognises "X needs doing by Friday", "X must be paid by the 3rd".
    pub(in crate::language) fn needed(&self, clause: &[Token]) -> Option<Vec<Token>> {
        let (passive, (subject, rest)) = match around(clause, TO_BE) {
            Some(parts) => (true, parts),
            None => (false, around(clause, NEEDING)?),
        };
        let subject = before_end(subject, "really|still|also|just|now|definitely|urgently").unwrap_or(subject);
        let rest = after_any(rest, "properly|all|both|finally|some").unwrap_or(rest);
        let (verb, following) = rest.split_first().filter(|(verb, _)| !verb.quoted)?;
        let base = if passive { base_of_participle(&verb.lower)? } else { base_of_gerund(&verb.lower)? };
        let changes = listed(&MOVING, &base) || (passive && listed(CHANGING, &base));
        if subject.is_empty() || changes {
            return None;
        }
        if let Some(subject) = before_end(subject, "don't|doesn't|do not|does not|no longer|won't|didn't|will not") {
            let by_verb = [&[Token::made(&base)], subject].concat();
            let known = [by_verb, subject.to_vec()].into_iter().find(|words| self.is_one(words))?;
            return Some(joined(&["delete"], &known, &[], &[]));
        }
        let (subject, following) = self.day_after_subject(subject, following);
        let begins = after_any(&subject, &TO_DO).or_else(|| after_any(&subject, &ADDING)).is_some();
        if begins || has_any(&subject, ",|:|;|-|–") || subject.is_empty() {
            return None;
        }
        self.change_of_known(&subject, &base, &following).or_else(|| new_to_do(&subject, &base, &following))
    }

    /// Moves the day to the end: "By Friday the tap needs fixing".
    fn day_after_subject(&self, subject: &[Token], following: &[Token]) -> (Vec<Token>, Vec<Token>) {
        let used = When::read(subject, self.today).used;
        let lead = used.iter().zip(subject).take_while(|(used, word)| **used || word.is_mark()).count();
        let (day, subject) = subject.split_at(lead);
        (subject.to_vec(), [following, day].concat())
    }

    fn change_of_known(&self, subject: &[Token], base: &str, following: &[Token]) -> Option<Vec<Token>> {
        let when = When::read(following, self.today);
        if !when.has_schedule() || !when.covers_all(following) {
            return None;
        }
        let by_verb = [&[Token::made(base)], subject].concat();
        let target = Some(by_verb).filter(|words| self.is_one(words));
        let target = target.or_else(|| (listed(DOING_IT, base) && self.is_one(subject)).then(|| subject.to_vec()))?;
        Some(if when.repeat.is_some() {
            joined(&["repeat"], &target, &[], following)
        } else {
            joined(&["move"], &target, &["to"], following)
        })
    }

    /// Recognises "I want the shed painted by Sunday": someone else may do the work.
    pub(super) fn wanted_done(&self, clause: &[Token]) -> Option<Vec<Token>> {
        let rest = after_any(clause, "i want|i need|we need|we want|i'd like|i would like|i'd love")?;
        let at = (2..rest.len()).find(|at| !rest[*at].quoted && !presents(&rest[*at].lower).is_empty())?;
        let (object, following) = (&rest[..at], &rest[at + 1..]);
        let definite = object[0].is_one_of("the|my|our|these|those|this|that|some|all");
        let read = When::read(following, self.today);
        let fits = definite && (following.is_empty() || read.covers_all(following)) && !has_any(object, "to|,|:|and");
        fits.then(|| joined(&["new", "todo", ":", "get"], rest, &[], &[]))
    }
}

/// Builds a new todo. A pronoun such as "it" is no object for one.
fn new_to_do(subject: &[Token], base: &str, following: &[Token]) -> Option<Vec<Token>> {
    let named = !subject[0]
        .is_one_of("i|we|you|he|she|they|it|that|this|these|those|there|something|everything|everyone|who|what");
    let particle = following.first().filter(|first| first.is_one_of(NEEDED_VERB_PARTICLES)).map_or(0, |_| 1);
    let verb = [&[Token::made(base)], &following[..particle]].concat();
    named.then(|| joined(&["new", "todo", ":"], &[&verb, subject].concat(), &[], &following[particle..]))
}

fn base_of_participle(word: &str) -> Option<String> {
    let bases = presents(word);
    let known = bases.iter().find(|base| listed(&TASK_VERBS, base) || listed(DOING_IT, base)).cloned();
    known.or_else(|| bases.into_iter().next())
}

/// Returns "fix" for "fixing", "take" for "taking", "mop" for "mopping".
fn base_of_gerund(word: &str) -> Option<String> {
    let stem = word.strip_suffix("ing").filter(|stem| stem.len() > 1)?;
    let last = stem.chars().last()?;
    let doubled = stem.strip_suffix(last).filter(|shorter| shorter.ends_with(last));
    let with_e = format!("{stem}e");
    let candidates = [Some(stem), Some(with_e.as_str()), doubled];
    let known = candidates.into_iter().flatten().find(|base| listed(&TASK_VERBS, base) || listed(DOING_IT, base));
    let spelt = || {
        let calls_for_e = stem.ends_with(['v', 'z', 'c', 'u', 's']);
        doubled.filter(|_| !stem.ends_with(['l', 's', 'z'])).unwrap_or(if calls_for_e { &with_e } else { stem })
    };
    Some(known.unwrap_or_else(spelt).to_owned())
}

#[cfg(test)]
mod tests {
    use super::{base_of_gerund, base_of_participle};

    #[test]
    fn a_verb_is_known_by_its_forms() {
        for (form, base) in [
            ("fixing", "fix"),
            ("taking", "take"),
            ("mopping", "mop"),
            ("servicing", "service"),
            ("regrouting", "regrout"),
        ] {
            assert_eq!(base_of_gerund(form).as_deref(), Some(base), "{form}");
        }
        for (form, base) in [("paid", "pay"), ("serviced", "service"), ("tidied", "tidy"), ("painted", "paint")] {
            assert_eq!(base_of_participle(form).as_deref(), Some(base), "{form}");
        }
    }
}
