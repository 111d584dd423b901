//! Word lists shared by several steps: beginnings of todos, events and commands, and nouns for a record's kind or
//! place.

use super::numbers::count;
use super::phrases::after_any;
use super::tokens::Token;
use crate::record::Kind;

pub(super) const ADDING: &str = "add|create|new|let me add|let me put|jot down|jot :|jot|write down|put down|\
    note down|note in|\
    pencil me in for|book me in for|put me down for|pencil us in for|\
    add in|set up|i want to add|\
    i'd like to add|\
    set me|make me|i would like to add|pencil in|make a note of|take down|put this on my list|put this on the list|\
    put this in my calendar|add this to my list|add this to the list|\
    put this in the calendar|stick this on my list|put in|stick in|pop in|slot in|squeeze in|fit in|throw in|\
    jot this down|\
    note this down|write this down|put this down|put down this|note this|jot down this|put this in|add this|\
    schedule this|\
    make a note of this|remember this";

/// Beginnings of sentences that create a todo.
pub(super) const TO_DO: &str = "see to it that i|can't forget to|cannot forget to|i was going to|i was meaning to|\
    i've been meaning to|i keep meaning to|\
    i keep forgetting to|i mean to|it's important that i|it's important to|it is important to|i need to make sure i|\
    i need to make sure to|\
    i want to make sure i|i have to make sure i|i have to make sure to|make sure that we|i really ought to|i'd best|\
    i'd do well to|\
    note for|note to|jot down to|jot down that i need to|note i have to|note i need to|\
    note i must|note that i have to|note that i need to|note that i must|remind me to|remind me that|remind me about|\
    remind me of|remind me|remind us to|\
    remind us both to|remind us|buzz me|give me a shout|give me a nudge|give me a ping|prod me|poke me|shout at me|\
    ping me|nudge me|alert me|notify me|notify me to|tell me to|be reminded to|i need to|i have to|i must|\
    i've got to|i gotta|i got to|i should|i will|i'll|i want to|i'd like to|i would like to|i ought to|we need to|\
    we have to|we should|we must|\
    we've got to|we ought to|we'd better|i'd better|i had better|i better|i shall|i wanna|i'm gonna|im gonna|\
    i am gonna|gonna|wanna|i'm supposed to|\
    i am supposed to|\
    i'm meant to|i mustn't forget to|i must not forget to|i must remember to|i need to remember to|\
    i have to remember to|\
    i shouldn't forget to|i can't forget to|i don't want to forget to|i'm going to|i am going to|i'm planning to|\
    i plan to|\
    i intend to|i promised to|i'm to|need to|have to|got to|gotta|want to|don't forget to|do not forget to|\
    don't let me forget to|don't let me forget about|don't let me forget that|don't let me forget|\
    help me remember to|help me to remember to|never forget to|\
    i could do with a reminder to|could do with a reminder to|i'd appreciate a reminder to|a reminder to|\
    i'll need a reminder to|\
    give me a reminder to|give me a reminder about|send me a reminder to|ping me to|ping me about|nudge me to|\
    nudge me about|\
    alert me to|let me remember to|remember to|keep in mind to|keep in mind that|make a note to|make a note that|\
    make a note that|\
    make a note :|make a note about|take a note to|note :|note that|make sure to|make sure i|make sure that i|\
    make sure we|be sure to|note to self|\
    memo to self|note to myself|note for myself|reminder to self|reminder to myself|reminder for me|memo :|\
    it's time to|time to|don't forget about|don't forget that|don't forget|remember|must|\
    it's necessary to|to do :|\
    remind myself to|i need a reminder to|i need a reminder about|i need reminding to|i'd like a reminder to|\
    i'd like to be reminded to|\
    i want to be reminded to|i need to be reminded to|on my list :|not to forget :|better not forget to|i've to|\
    we've to|i am going to have to|i'll have to|i will have to|we'll have to|i'll need to|\
    i will need to|we'll need to|i'm due to|it's about time i|it's high time i|i still have to|i still need to|\
    i've still got to|\
    i absolutely must|i could do with|i'm obliged to|i am obliged to|i've promised to|i said i'd|i was asked to|\
    i've been asked to|\
    put me down to|have me|get me to|set a reminder to|could i have a reminder to|i want a reminder to|\
    mustn't forget to|must remember to";

/// Beginnings of sentences about something that is already arranged.
pub(super) const ARRANGED: &str = "i have a|i have an|i've got a|i've got an|there's a|there's an|there is a|\
    there is an|we have a|we have an|\
    we've got a|we've got an|i'm having a|i am having a|there will be a|there will be an|there'll be a|there'll be an|\
    there's going to be a|we're having a|we are having a|i've a|we've a|i've an|there's the|i'm having|we're having|\
    i am having|we are having|got a|got an|i got a|i got an|having a|having an|i'm going to a|i'm going to the|\
    we're going to the|we're off to the|i'm off to the|i'm due at the|we're invited to|i'm invited to|we're seeing|\
    i've booked a|\
    we're going to a";

/// The same, only together with a day and time; otherwise the sentence may report something done.
pub(super) const HAVING: &str =
    "i've got|i have|we've got|we have|i've|we've|i'm|we're|i am|we are|i'll be|we'll be|i will be|we will be|i got";

/// Nouns for events.
pub(super) const EVENTS: &str = "doctor|dentist|vet|hairdresser|optician|barber|gp|practice|clinic|club|meeting|\
    appointment|lunch|dinner|breakfast|brunch|party|concert|conference|interview|\
    flight|wedding|webinar|\
    workshop|lecture|ceremony|standup|stand-up|retrospective|retro|seminar|reception|check-up|checkup|catch-up|\
    catchup|sync|1:1|one-on-one|birthday|festival|exam|rehearsal|match|game|picnic|barbecue|bbq|coffee|drinks|\
    demo|keynote|call|class|session|date|haircut|training|gig|graduation|massage|physio|inspection|tour|hike|viewing|\
    tennis|badminton|squash|football|\
    yoga|pilates|theatre|cinema|play|opera|ballet|quiz|tea|supper|funeral|christening|anniversary|reunion|hearing|\
    course|lesson|consultation|scan|\
    talk|presentation|briefing|debrief|town-hall|offsite|fair|market|recital|performance|gala|fete|kickoff|\
    get-together|prom|memorial|baptism|handover|onboarding|induction|launch|premiere|exhibition|awards|fundraiser|\
    parkrun|facial|\
    manicure|pedicure|therapy|counselling|ultrasound|mammogram|booster|tutorial|masterclass|agm|roast|ceilidh|disco|\
    zumba|aerobics|judo|\
    karate|visit|test|x-ray|\
    assessment|surgery|skype|zoom|facetime|appt|group|\
    lessons|classes|lectures|seminars|rehearsals|break|kick-off|\
    scrum|huddle|\
    one-to-one|1-1|121|check-in|debate|potluck|housewarming|choir|orchestra|bootcamp|recording|lunchtime-concert|\
    awayday|away-day|hen-do|stag-do|babyshower|vaccination|jab|blood-test|fitting|tasting|audition|open-evening|\
    sports-day|swim-meet|\
    assembly|service|show|gathering|\
    evening|night|trip|excursion|outing|ball|dance|reading|screening|showing|mass|padel|golf|bowling|karaoke|\
    playdate|sleepover|brainstorm|roundtable|panel|\
    symposium|summit|retreat|hackathon|meetup|meet-up|open-day|auction|sale|parade|procession|regatta|tournament|\
    final|semi-final|derby|race";

/// Verbs that begin todos, so that "call the bank and email Jo" is two todos.
pub(super) const TASK_VERBS: &str = "call|email|buy|book|send|write|read|pay|clean|wash|cook|bake|fix|pick|order|check|\
    prepare|review|finish|\
    submit|plan|organise|organize|visit|meet|ask|text|message|water|feed|walk|take|bring|get|return|renew|update|\
    file|print|sign|schedule|cancel|post|drop|collect|ring|research|draft|study|practice|practise|iron|vacuum|mow|\
    sort|pack|phone|reply|answer|paint|repair|replace|confirm|register|apply|invite|charge|tidy|empty|measure|\
    download|back|mend|pump|sharpen|sweep|scrub|mop|dust|polish|wipe|rinse|hoover|peel|chop|fry|boil|grill|defrost|\
    marinate|\
    unblock|unpack|assemble|build|hang|mount|drill|sew|stitch|knit|fold|steam|dry|soak|weed|prune|rake|plant|dig|\
    trim|harvest|\
    walk|groom|brush|bathe|worm|vaccinate|fetch|deliver|hand|give|lend|borrow|swap|donate|sell|list|auction|wrap|\
    lock|unlock|\
    top|fill|refill|recharge|empty|descale|bleed|service|inspect|test|calibrate|install|uninstall|upgrade|patch|\
    deploy|merge|\
    commit|debug|refactor|backup|restore|archive|scan|shred|photocopy|copy|type|edit|proof|proofread|translate|\
    summarise|\
    summarize|outline|rehearse|memorise|learn|revise|mark|grade|teach|tutor|coach|train|attend|join|host|arrange|set|\
    lay|\
    decorate|hoist|collect|chase|query|contact|notify|warn|thank|congratulate|greet|welcome|interview|hire|negotiate|\
    discuss|agree|decide|choose|pick|compare|research|investigate|look|find|search|locate|track|count|weigh|\
    calculate|estimate|\
    budget|invoice|bill|claim|refund|transfer|deposit|withdraw|donate|tip|settle|cancel|resubscribe|unsubscribe|\
    subscribe|\
    cut|bleach|dye|shave|shower|stretch|exercise|swim|run|jog|cycle|lift|go|do|make|put|take|see|try|eat|drink|cook|\
    bake|\
    turn|switch|change|move|lift|carry|load|unload|stack|store|label|tag|record|film|photograph|draw|sketch|design|\
    sculpt|\
    ask|tell|remind|complain|report|explain|present|pitch|publish|upload|tweet|blog|share|forward|respond|rsvp|confirm|\
    hem|jump|water|mist|feed|air|wax|oil|grease|tighten|loosen|glue|tape|sand|varnish|tile|insulate|seal|caulk|clear|\
    declutter|\
    recycle|compost|dispose|throw|dump|burn|light|extinguish|close|open|shut|board|catch|drive|park|refuel|fuel|rent|\
    hire|check|\
    pre-order|preorder|reorder|reserve|buy|get|grab|stock|restock|freeze|thaw|pickle|brew|ferment|reboot|restart|\
    reset|sync|chair|lead|facilitate|moderate|escort|accompany|babysit|hand|drive|swot|cram|rewrite|redo|rework|\
    resend|rebook|\
    recharge|reseal|regrout|unclog|dig|mail|fax|courier|hoover|pressure-wash|jet-wash|lubricate|crate|stash|hide|wean|\
    train|toilet-train|\
    audit|reconcile|balance|tally|categorise|categorize|digitise|digitize|laminate|staple|bind|engrave|repot|reseed|\
    reupholster|\
    resole|rewire|replumb|resurface|retile|repaint|rehang|rearrange|reorganise|reorganize|prep|double-check|proofread|\
    submit|fill|finalise|finalize|\
    brainstorm|sketch|storyboard|rehearse|perform|audition|busk|volunteer|donate|fundraise|sponsor|vote|nominate|\
    celebrate|toast|host|catch|\
    ping|skype|zoom|facetime|dm|whatsapp|visit|swing|drop|nip|pop|fly|commute|ride|sail|skate|climb|hike|walk|wander|\
    stroll";

/// Words that occur in reasons.
pub(super) const WHY: &str = "not|can't|cannot|won't|don't|doesn't|isn't|aren't|no|longer|ill|sick|away|busy|going|\
    called|cancelled|canceled|\
    off|broken|closed|changed|forgot|fell|gave|decided|unwell|poorly|late|never|already|couldn't|didn't|wasn't|ran";

pub(super) const MOVING: &str = "swap|swop|leave|hold|slip|extend the deadline of|extend the deadline for|\
    extend the due date of|set the date for|set a date for|change the date for|set the time for|change the time for|\
    assign|move|reschedule|postpone|push|delay|shift|defer|snooze|bring|put off|put back|\
    set back|re-schedule|advance|bump|shove|\
    slide|nudge|pull|transfer|carry over|carry|drag|kick|hold off|switch|relocate|pop|bring forward|push back|\
    push out|move back|move forward|change the date of|set the time of|set the start of|set the date of|set the day of|\
    change the start of|change the start time of|set the start time of|set the due date of|set the deadline of|\
    change the deadline of|\
    update the time of|update the date of|change the start date of|set the start date of|\
    change the time of|change the day of|change the due date of";

/// Beginnings of a place without a noun such as "location".
pub(super) const ROOMS: &str = "room|office|hall|zoom|teams|studio|library|cafe|café|building|online|conference|\
    meeting-room|\
    auditorium|\
    lobby|canteen|reception|boardroom|classroom|gym|floor";

/// Returns whether the tokens begin like a todo.
#[must_use]
pub fn begins_with_task_verb(tokens: &[Token]) -> bool {
    tokens.first().is_some_and(|first| first.is_one_of(TASK_VERBS))
}

/// Returns the kind that a noun names.
#[must_use]
pub fn kind_noun(word: &str) -> Option<Kind> {
    match word {
        "todo" | "to-do" | "task" | "reminder" | "todos" | "tasks" => Some(Kind::Todo),
        "event" | "events" => Some(Kind::Event),
        "habit" | "habits" | "routine" | "ritual" => Some(Kind::Habit),
        "goal" | "goals" | "objective" => Some(Kind::Goal),
        _ => None,
    }
}

/// Returns how many records are requested at once: "500 todos".
#[must_use]
pub fn asked_count(tokens: &[Token]) -> Option<u32> {
    let at = tokens.iter().position(|token| kind_noun(&token.lower).is_some() && token.lower.ends_with('s'))?;
    count(&tokens.get(at.checked_sub(1)?)?.lower)
}

/// Matches "set up a meeting", "make a todo", "put an event": the record does not exist yet.
pub fn names_new(clause: &[Token]) -> bool {
    let rest = after_any(clause, "set|make|put|schedule|plan|change|turn|have|let|pop|slide|drag|bring|carry")
        .unwrap_or_default();
    rest.first().is_some_and(|token| token.is_one_of("a|an|another|up|new|me|myself|us"))
}

/// Words for the list or the calendar.
const PLACES: &str = "list|calendar|agenda|schedule|todos|tasks|planner|diary|todo-list|to-dos";

/// Returns the position and length of "to my list", "on the calendar".
pub fn place_at(tokens: &[Token]) -> Option<(usize, usize)> {
    (0..tokens.len()).find_map(|at| {
        let rest = after_any(&tokens[at..], "to|on|onto|in|into|from")?;
        let rest = after_any(rest, "my|the|our")?;
        let rest = after_any(rest, "todo|to-do|task|to do").unwrap_or(rest);
        let named = rest.first().is_some_and(|token| token.is_one_of(PLACES));
        named.then(|| (at, tokens.len() - at - rest.len() + 1))
    })
}

/// Returns whether the list or the calendar is named.
pub fn names_place(tokens: &[Token]) -> bool {
    place_at(tokens).is_some()
}
