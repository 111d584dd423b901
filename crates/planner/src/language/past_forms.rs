//! Past tense forms of verbs and their present tense.

/// Irregular verbs, as "past=present".
const IRREGULAR: &str = "had=have|paid=pay|bought=buy|took=take|taken=take|wrote=write|written=write|sent=send|\
    read=read|\
    ran=run|went=go|gone=go|\
    made=make|did=do|done=do|got=get|met=meet|swam=swim|slept=sleep|ate=eat|eaten=eat|drank=drink|built=build|\
    sold=sell|\
    told=tell|left=leave|found=find|gave=give|given=give|brought=bring|taught=teach|thought=think|cut=cut|put=put|\
    set=set|sang=sing|\
    drove=drive|driven=drive|rode=ride|flew=fly|hung=hang|fed=feed|spent=spend|stood=stand|won=win|kept=keep|held=hold|\
    began=begin|begun=begin|seen=see|saw=see|spoke=speak|spoken=speak|chose=choose|chosen=choose|drew=draw|dug=dig|\
    lent=lend|\
    lost=lose|swept=sweep|wore=wear|woke=wake|threw=throw|shut=shut|rang=ring|hid=hide|rung=ring|wrapped=wrap|\
    caught=catch|learnt=learn|burnt=burn|hidden=hide|froze=freeze|frozen=freeze|shook=shake|sewn=sew|mown=mow|did=do|\
    drunk=drink|woken=wake|drawn=draw|flown=fly|ridden=ride|worn=wear|thrown=throw|laid=lay|lit=light|shot=shoot|\
    stuck=stick|struck=strike|understood=understand|sorted=sort|fixed=fix|tied=tie|iced=ice|broke=break|broken=break|\
    bent=bend|bred=breed|dealt=deal|dreamt=dream|fought=fight|grew=grow|grown=grow|knelt=kneel|leapt=leap|\
    rebuilt=rebuild|redid=redo|redone=redo|repaid=repay|rewrote=rewrite|rewritten=rewrite|showed=show|shown=show|\
    spelt=spell|spilt=spill|spun=spin|swum=swim|sung=sing|tore=tear|torn=tear|withdrew=withdraw|withdrawn=withdraw|\
    wrung=wring";

/// Subjects of a completion.
pub const SUBJECTS: &str = "i've already|i have already|i already|i've just|i have just|i just|i've|i have|i|\
    we've already|we have already|\
    we already|we've|we have|we|just|already|i've finally|i have finally|i finally|finally|i managed to|managed to";

/// Returns the present tense forms that `word` may be the past tense of.
pub fn presents(word: &str) -> Vec<String> {
    if let Some(present) = IRREGULAR.split('|').find_map(|pair| pair.split_once('=').filter(|(past, _)| *past == word))
    {
        return vec![present.1.to_owned()];
    }
    let Some(stem) = word.strip_suffix("ed").filter(|stem| stem.len() > 2) else { return Vec::new() };
    let mut found = vec![stem.to_owned(), format!("{stem}e")];
    if let Some(stem) = stem.strip_suffix('i') {
        found.push(format!("{stem}y"));
    }
    if let Some(last) = stem.chars().last()
        && let Some(shorter) = stem.strip_suffix(last).filter(|shorter| shorter.ends_with(last))
    {
        found.push(shorter.to_owned());
    }
    found
}

#[cfg(test)]
mod tests {
    use super::presents;

    #[test]
    fn a_past_form_has_its_presents() {
        for (past, present) in [
            ("paid", "pay"),
            ("called", "call"),
            ("renewed", "renew"),
            ("meditated", "meditate"),
            ("tidied", "tidy"),
            ("mopped", "mop"),
            ("repaid", "repay"),
            ("dealt", "deal"),
            ("tied", "tie"),
        ] {
            assert!(presents(past).iter().any(|found| found == present), "{past}: {:?}", presents(past));
        }
        assert!(presents("red").is_empty() && presents("milk").is_empty());
        assert_eq!(presents("哈哈ed"), ["哈哈", "哈哈e", "哈"]);
    }
}
