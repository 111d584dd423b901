//! Patterns of sentences that are not worth quoting.
//!
//! All but [`LABEL`] and [`CREDIT`] are matched against a sentence's words: in lower case, one space around each,
//! without other marks, `’` as `'`.

use std::sync::OnceLock;

use regex::RegexSet;

/// A set of patterns; one match suffices.
#[derive(Debug)]
pub(super) struct Patterns {
    sources: &'static [&'static str],
    set: OnceLock<Option<RegexSet>>,
}

impl Patterns {
    const fn of(sources: &'static [&'static str]) -> Self {
        Self { sources, set: OnceLock::new() }
    }

    pub(super) fn matches(&self, words: &str) -> bool {
        self.set.get_or_init(|| RegexSet::new(self.sources).ok()).as_ref().is_some_and(|set| set.is_match(words))
    }
}

/// Subscriptions, support, sharing, rights, sponsors, links to other content.
pub(super) static BOILERPLATE: Patterns = Patterns::of(&[
    // English: subscriptions.
    r"^ (?:please )?(?:subscribe|unsubscribe|sign up|register now|log in|join us|join now|follow us|follow me|donate) ",
    r" (?:subscribe|subscribing) (?:to (?:our|my|the|this|receive|get|read|continue|continue|support|unlock|see)|now|today|here|for free|via|below|and) ",
    r" sign(?:ing)? up (?:for|to) (?:our|my|the|a free|receive|get|read|this|be|hear) ",
    r" (?:sign up|register) (?:here|now|today|below|for free) ",
    r" becom(?:e|ing) an? (?:\w+ ){0,2}(?:subscriber|member|supporter|patron|sponsor|backer) ",
    r" (?:free|paid|paying|premium|full) (?:and paid )?(?:subscribers|members|readers) (?:get|can|receive|only|have|will|also) ",
    r" (?:only|just|exclusively) (?:for|to) (?:paid|paying|premium|our)? ?(?:subscribers|members) ",
    r" (?:upgrade (?:to|your)|manage your|start your|renew your|cancel your|gift|annual|your) (?:\w+ )?subscription ",
    r" (?:a free|paid) subscriber to ",
    r" (?:free|30 day|7 day|14 day) trial ",
    r" (?:our|my|this|the|free|weekly|daily|email) (?:\w+ )?newsletter .*(?:sign up|subscri|inbox|register)",
    r" (?:sign up|subscri|register|join|get)\w* .*newsletter ",
    r" (?:in|to|into) your (?:inbox|mailbox|rss reader|feed reader) ",
    r" if you (?:are|'re) (?:not )?(?:already |yet )?an? (?:\w+ )?(?:subscriber|member|reader) ",
    r" (?:you are|you're) (?:receiving|getting|reading) (?:this|the) (?:email|newsletter|letter) ",
    r" (?:view|read|open) (?:this|the|it)? ?(?:email|post|article|newsletter|message)? ?(?:in|on) (?:your|the|a) (?:browser|web) ",
    r" (?:forwarded|this) (?:this )?email .*(?:forward|browser|unsubscribe)",
    // Support.
    r" (?:support(?:ing)? (?:us|me|our (?:work|journalism|reporting|mission|independent)|my (?:work|writing)|this (?:site|blog|work|podcast|publication|newsletter|project|channel|journalism)|independent journalism)) ",
    r" (?:on|via|through|my|our) (?:patreon|ko fi|kofi|liberapay|buymeacoffee|github sponsors) ",
    r" buy (?:me|us) a coffee ",
    r" (?:please )?consider (?:donating|subscribing|supporting|becoming|a donation|making a|sharing|joining|upgrading) ",
    r" (?:make|with) an? (?:\w+ ){0,2}(?:donation|contribution) (?:today|to (?:support|our|us|help|keep)|here|now) ",
    r" (?:reader|listener) supported (?:publication|site|newsletter|podcast) ",
    r" (?:if you|hope you|did you) (?:\w+ ){0,2}(?:enjoyed|enjoy|liked|like|found|find) (?:this|the|these|my|our|what|reading) ",
    r" (?:thanks|thank you) (?:so much |again |very much )?for (?:reading|listening|watching|subscribing|your (?:support|attention|patience)|being|joining|tuning|stopping|visiting) ",
    // Sharing, replying.
    r"^ share (?:this|it|on|your|with) ",
    r" share this (?:post|article|story|page|video|episode|piece|newsletter|on|with) ",
    r" (?:follow|find|like|join|contact|reach|email|message|tweet|ping|dm) (?:us|me|him|her|them|the author) (?:on|at|via|by|in) ",
    r" (?:you can|feel free to|please|don't hesitate to) (?:\w+ )?(?:follow|reach|contact|email|message|tell|ask) (?:me|us|him|her|them|the author) ",
    r" (?:feel free to|please|don't hesitate to) (?:\w+ )?(?:reach|contact|email|message|reply|comment|discuss|drop|join|leave|share) ",
    r" (?:leave|post|add|write|drop) (?:an? |your |us an? |me an? )(?:\w+ )?(?:comment|comments|review|rating) | drop (?:us|me) a (?:line|note) ",
    r" (?:in|to) the comments(?: below| section)? $",
    r" let (?:me|us) know (?:in|if|what|on|by|via|at|your|your) ",
    r" (?:comments|replies) (?:are|have been) (?:closed|disabled|off|moderated) ",
    r" (?:tell|send) (?:us|me) (?:your|what you|a (?:message|note|tip|mail|email)|an email|an e mail) ",
    r" (?:got|have) a (?:news )?(?:tip|story|question|correction) (?:for us|to share|we) ",
    r" get in touch | (?:stay|keep) (?:in touch|up to date|updated|tuned|informed|connected) ",
    r" (?:discuss|discussion|comment|comments|join the (?:discussion|conversation)) (?:this|it|on|at|in) (?:\w+ )?(?:hacker news|reddit|lobsters|mastodon|twitter|discord|github|forum|slack|facebook) ",
    r" join the (?:conversation|discussion|community|newsletter|waitlist|waiting list|mailing list) ",
    // Links to other content.
    r" (?:click|tap|press) (?:here|below|the (?:link|button|image|picture|play)|on the|through|this|to) ",
    r" (?:read|see|find out|learn|continue|discover|find) (?:more|on|reading|the rest|the full|the whole|the entire|the original|the complete)(?: (?:article|post|story|text|here|about|at|on|in|piece|version|report|information|details|announcement|changelog|release notes)){0,3} $",
    r" (?:read|see|view|watch|check|get|find|visit|download|explore) .{0,40}(?: here| below| at the link| on (?:our|my|the) (?:site|website|blog|page|channel))(?: for .*)? $",
    r"^ (?:read|see|click|tap|watch|listen|view|check out|read on|download|grab|browse|explore) (?:more|also|the|our|my|here|all|to|this|it|how|what|out) ",
    r"^ (?:learn|discover|find out) more |^ continue reading |^ also (?:read|see|check|watch) |^ get (?:our|my|the latest|it|started|your|all) |^ try (?:it|our) ",
    r"^ (?:see also|related (?:articles?|posts?|stories|content|reading)|you (?:might|may) also like|filed under|further reading|skip to|back to top|advertisement|table of contents|in this (?:issue|edition)|editor's note|editors' note|note to readers) ",
    r" for (?:more|further|additional) (?:information|details|info|on|about)(?: .*)? (?:visit|see|contact|click|read|go to|check|please|refer|email) ",
    r"^ for (?:more|further|additional|full|the full|all the) (?:information|details|info|on|about|news|stories|list|changelog|release notes) ",
    r" (?:please )?(?:visit|go to|head (?:over )?to|check out) (?:our|my|the|their|us|\w+) ?(?:website|site|homepage|store|shop|page|blog|com|org|io|net|dev|example) ",
    r" (?:download|install|get) (?:our|the) (?:\w+ )?app (?:now|today|for|on|from|here|and) ",
    r" podcast (?:app|apps|player|feed) | get your podcasts | never miss an? (?:episode|issue|update|post|story) | (?:subscriber|member)s?'? (?:only )?feed ",
    r" (?:available|listen|subscribe|follow|find us) (?:now )?(?:on|in|to us on) (?:apple podcasts|spotify|youtube|itunes|google podcasts|your favou?rite) ",
    r" (?:wherever|anywhere) you (?:get|listen|find) ",
    r" (?:listen to|watch|stream) (?:this|the|our|my) (?:\w+ ){0,2}(?:episode|podcast|show|interview|video|recording|stream) ",
    r" (?:play|download) (?:this|the) episode |^ (?:and )?(?:after|before) the (?:break|jump|fold) ",
    // Previous publication, and rights.
    r" this (?:article|post|story|piece|essay|column|interview|text|entry|page|episode|content|report|review) (?:was|is|has been|had been|has|first|originally|previously) (?:\w+ )?(?:originally |first |previously |initially |also |cross )?(?:published|posted|appeared|crossposted|republished|syndicated|updated|corrected|translated|produced|supported|adapted|excerpted|reprinted) ",
    r" the (?:article|post|story|piece|essay|column|text) (?:was|is|has been|had been|has|first|originally) (?:originally |first |previously |initially )(?:published|posted|appeared) ",
    r" appeared first (?:on|in|at) ",
    r"^ the post .{0,200} (?:appeared|on) ",
    r" (?:reprinted|republished|reproduced|redistributed) (?:with|by|here|from|under|without) ",
    r" all rights (?:are )?reserved ",
    r" copyright (?:c |by |of |notice|\d{4})",
    r" (?:privacy policy|cookie policy|terms of (?:service|use)|terms and conditions|privacy notice|code of conduct applies) ",
    r" (?:we|website|site|page|us|they|browser) (?:\w+ )?(?:use|uses|using|accept|store|stores|set|sets) (?:\w+ )?cookies ",
    r" (?:accept|enable|allow|disable|reject|manage) (?:all |your |our )?cookies ",
    r" (?:enable|requires|without|turn on) javascript ",
    r" (?:licensed|released|published|available) under (?:a|the) creative commons ",
    r" (?:not|never) be (?:published|broadcast|rewritten|reproduced|redistributed) ",
    r" contributed to this (?:report|story|article) |^ (?:additional |with )?reporting by | (?:writing|reporting|editing) by (?:\w+ ){2,9}editing by | compiled by our | with (?:files|agency inputs) from ",
    r" (?:this|the) (?:article|story|post|text|page|content|summary) (?:was|is|has been) (?:\w+ )?(?:generated|written|created|auto generated) (?:by|with|using) (?:ai|an ai|artificial|a language|chatgpt) ",
    // Sponsors.
    r" brought to you (?:\w+ )?by |^ (?:sponsored|presented) by ",
    r" (?:this|today's|the|our) (?:[\w']+ ){0,2}(?:episode|podcast|newsletter|post|issue|edition|show|video|article|content|program|programme|message|letter|week)(?:'s)? (?:is |was |are )?(?:\w+ )?(?:sponsored|presented|made possible|underwritten|supported|powered) (?:\w+ )?by ",
    r" (?:our|today's|this week's|this episode's|this month's) (?:\w+ )?sponsors? ",
    r" (?:promo|discount|coupon|offer|referral|voucher) code ",
    r" use (?:the )?code \w+ ",
    r" (?:\d+ ?%|percent|\$\d+) off (?:your|the|with|at|for|when|all|today|first|a) ",
    r" (?:at checkout|limited time|money back guarantee|while supplies last|order now|buy now|shop now|order yours|pre order (?:now|today|here)|save up to|special offer|act now|learn more at|book a demo|request a demo|get started (?:today|for free|now)) ",
    r" (?:advertise|advertising) (?:with|on) (?:us|this|our) ",
    r" (?:to|who want to) advertise ",
    r"^ (?:tickets|registration|early bird|seats|spots) (?:are|is|still) (?:\w+ )?(?:available|open|limited|on sale) ",
    // German.
    r" (?:abonnieren sie|abonniere (?:jetzt|hier|unseren|den)|jetzt (?:abonnieren|anmelden|registrieren|bestellen|testen|spenden|lesen)|melden sie sich|melde dich|zum newsletter|unseren? newsletter|newsletter (?:abonnieren|anmelden)|kostenlos (?:testen|abonnieren|anmelden)|probeabo|abonnentinnen und abonnenten|nur für abonnenten) ",
    r" (?:unterstützen sie (?:uns|unsere)|unterstütze (?:uns|unsere|mich)|mit (?:ihrer|einer|deiner) spende|spenden sie) ",
    r" (?:weiterlesen|mehr lesen|lesen sie (?:auch|mehr|hier|weiter|den|dazu)|lies (?:auch|mehr|weiter)|mehr (?:dazu|zum thema|informationen)|hier (?:klicken|geht es|geht's|finden sie|lesen|weiterlesen)|klicken sie|klicke (?:hier|auf)|siehe auch) ",
    r" (?:teilen sie|teile (?:diesen|den)|artikel teilen|folgen sie uns|folge uns|folgt uns|schreiben sie uns|schreibt uns) ",
    r" (?:alle rechte vorbehalten|datenschutzerklärung|cookies? (?:zu|akzeptieren|zulassen)|verwendet cookies|verwenden cookies|nutzungsbedingungen|impressum) ",
    r" (?:dieser (?:artikel|text|beitrag)|diese (?:meldung|geschichte)) (?:ist|erschien|wurde|stammt) ",
    r" (?:erschien zuerst|zuerst erschienen|zuerst veröffentlicht|gesponsert von|präsentiert von|wird (?:ihnen )?präsentiert) ",
    r"^ (?:anzeige|werbung|mehr zum thema|lesetipp|korrektur|anmerkung der redaktion|hinweis der redaktion) ",
    r" (?:vielen dank|danke) (?:fürs|für (?:das|ihr|ihre|euer|eure)) (?:lesen|zuhören|interesse|unterstützung|aufmerksamkeit) ",
    // French.
    r" (?:abonnez vous|abonne toi|inscrivez vous|inscris toi|s'abonner à|réservée? (?:à nos|aux) abonnés|notre (?:newsletter|infolettre|lettre)|votre boîte|désabonner|essai gratuit) ",
    r" (?:soutenez (?:nous|notre|le|la)|soutenir (?:notre|notre travail)|faites un don|faire un don) ",
    r" (?:lire la suite|lire aussi|lisez (?:aussi|la suite|notre)|à lire (?:aussi|également)|en savoir plus|pour en savoir|cliquez (?:ici|sur)|voir aussi|suivez nous|partagez (?:cet|cette|sur)|partager (?:cet|cette|sur)|rejoignez (?:nous|notre)|écoutez (?:cet|l'|le)) ",
    r" (?:tous droits réservés|politique de confidentialité|utilise des cookies|accepter les cookies|mentions légales|conditions générales) ",
    r" (?:cet article|ce texte|cette chronique|ce billet|cet entretien) (?:a été|a d'abord|est|est d'abord|est paru|provient|fait) ",
    r" (?:sponsorisé par|présenté par|en partenariat avec|code promo|merci (?:de|d'avoir) (?:lire|lu|votre)) ",
    // Spanish.
    r" (?:suscríbete|suscríbase|suscribirse a|suscribirte|regístrate|regístrese|inscríbete|nuestro boletín|boletín (?:diario|semanal|gratuito)|tu bandeja|su bandeja|solo para suscriptores|prueba gratuita) ",
    r" (?:apóyanos|apoye (?:nuestro|nuestra)|apoya (?:nuestro|nuestra|este|a)|haz una donación|haga una donación|dona aquí) ",
    r" (?:leer más|lea (?:también|más|aquí)|lee (?:también|más|aquí)|sigue leyendo|seguir leyendo|siga leyendo|más información (?:en|aquí|sobre)|haz clic|haga clic|clic aquí|ver también|síguenos|síganos|comparte (?:este|esta|en)|compartir (?:este|esta|en)|escucha (?:este|el|nuestro)|te puede interesar) ",
    r" (?:todos los derechos reservados|política de (?:privacidad|cookies)|utiliza cookies|aceptar (?:las )?cookies|aviso legal|términos y condiciones) ",
    r" est[ea] (?:artículo|texto|nota|entrada|historia|columna) (?:se|fue|ha|es|apareció|forma) ",
    r" (?:publicado originalmente|apareció primero|patrocinado por|presentado por|código (?:promocional|de descuento)|gracias por (?:leer|tu|su|escuchar)) ",
]);

/// What an author owns, earns or is liable for.
pub(super) static DISCLOSURE: Patterns = Patterns::of(&[
    r"^ (?:\w+ ){0,2}(?:disclosure|disclosures|disclaimer|conflicts? of interest|competing interests?|transparency notice) ",
    r" (?:in the interest of|for|as a|by way of) (?:full )?(?:transparency|disclosure) ",
    r" i (?:\w+ )?(?:own|hold|bought|am long|am short|have a (?:small |long |short )?position|have shares|have (?:\w+ )?(?:stock|shares)) (?:\w+ ){0,3}(?:shares?|stock|stocks|equity|position|options|in) ",
    r" i (?:am|was|have been) (?:an? )?(?:\w+ ){0,2}(?:employed|paid|compensated|investor|shareholder|advisor|adviser|employee) (?:by|in|to|at|of) ",
    r"^ (?:\w+ ){0,3}i (?:currently |also |do )?work (?:for|at) ",
    r" (?:the|this) (?:author|writer|reporter|columnist|editor|publisher)s? (?:\w+ )?(?:works? (?:for|at|as)|worked (?:for|at|as)|is (?:an?|the|employed)|was employed|are employed|holds?|owns?|declares?|declared|discloses?|received (?:funding|support|no)|receives|(?:has|have) (?:no|not|received|disclosed|declared)|(?:does|do|did) not) ",
    r" (?:affiliate|referral|sponsored) (?:links?|commissions?|programs?|programmes?|partners?|marketing|fees?|disclosure|content) ",
    r" (?:earn|earns|receive|receives|get|make) (?:an? |us an? )?(?:\w+ ){0,2}(?:commissions?|kickback|referral fee)(?: (?:from|on|if|when|for|at|through|via) | $)",
    r" (?:as an )?amazon associates? ",
    r" (?:views|opinions|thoughts) (?:\w+ )?(?:expressed|stated|here|in this|are (?:my|our|their|his|her) own|are solely|my own|represented) ",
    r" (?:do|does|may|need) not (?:necessarily )?(?:reflect|represent) (?:the|those|my|our|official) ",
    r" (?:not|no|nothing|constitute|as|considered|isn't|nor) (?:\w+ ){0,4}(?:financial|investment|legal|medical|tax|professional|trading) (?:or \w+ )?advice ",
    r" for (?:informational|educational|information|entertainment|general information)(?: and \w+| or \w+)? purposes ",
    r" (?:forward looking statements?|past performance is) ",
    r" (?:we|i|they|which) (?:\w+ )?(?:were|was|are|am|been) (?:not |never )?(?:paid|compensated|sponsored) (?:for|to|by) ",
    r" (?:provided|sent) (?:us|me) (?:with )?(?:an? )?(?:review (?:unit|copy|sample)|free (?:copy|sample|unit|product)) ",
    r"^ (?:transparenzhinweis|offenlegung|interessenkonflikt|haftungsausschluss|hinweis) ",
    r" (?:der|die) (?:autor|autorin|verfasser|verfasserin) (?:arbeitet|ist|besitzt|hält|erklärt) ",
    r" (?:affiliate|provisions) ?links? | (?:eine|kleine) provision | keine (?:anlage|rechts)beratung ",
    r" (?:l'auteur|l'auteure|l'autrice|les auteurs) (?:travaille|est|détient|possède|déclare|déclarent) | liens? d'?affili| liens affiliés | conflits? d'intérêts? $",
    r" (?:el autor|la autora|los autores) (?:trabaja|es|posee|declara|declaran) | enlaces? (?:de )?afiliad| conflictos? de intereses? $",
]);

/// Labels of links to other content. Matched against the sentence as written, in lower case.
pub(super) static LABEL: Patterns = Patterns::of(&[
    r"^\W*(?:see also|related(?: \w+)?|more (?:from|on|about)(?: \w+)?|read (?:more|also|next)|recommended(?: \w+)?|tags?|categor(?:y|ies)|topics?|via|sources?|references?|links?|previously|next|previous|sponsor(?:ed)?|promoted|corrections?|transcript|permalink|listen|watch|download|subscribe|contact|email|website|twitter|mastodon|discuss(?:ion)?|comments?|siehe auch|lesen sie auch|mehr zum thema|anzeige|korrektur|lire aussi|voir aussi|à lire aussi|lea también|ver también|te puede interesar)\s?:",
    // An entry of a list of references: “Lund, Ada, et al. “Title” …”.
    r#"^\W*[\w'-]+, [\w. -]{1,40},? (?:et al\.?|and others)[.,]? ?["“‘]"#,
]);

/// Picture captions, bylines, datelines and author descriptions.
pub(super) static CAPTION: Patterns = Patterns::of(&[
    r"^ (?:\w+ )?(?:photo|photos|photograph|photographs|photography|picture|image|images|illustration|illustrations|graphic|artwork|rendering|video|footage|screenshot|drawing|map|chart) (?:by|courtesy|via|credit|credits|provided|supplied|above|below) ",
    r"^ (?:an? |the |\w+ )?(?:photo|photos|photograph|photographs|picture|image|screenshot|illustration) (?:of|from|shows|showing|taken) ",
    r"^ (?:pictured|file photo|file image|stock photo|handout photo|image credit|photo credit|photo illustration|cover image|header image|featured image|feature image|top image|hero image) ",
    r" (?:photo|image|picture|photography|video|illustration|cover|header|featured image) (?:credit|credits|courtesy|copyright|source) ",
    r"^ (?:fig|figs|figure|figures|table|tab|plate|exhibit|chart|listing|panel|abb|abbildung|tabelle|figura|tabla) \w?\d",
    r"^ in (?:this|the above) (?:\w+ ){0,3}(?:photo|photograph|image|picture) | in (?:this|an?) (?:\w+ ){0,4}(?:photo|photograph|image|picture|illustration|screengrab|frame grab|handout|video grab)(?: (?:taken|released|provided|obtained|by)| $)",
    r" (?:this|the) (?:photo|photograph|image|picture|screenshot|illustration|chart|graph|graphic|map|diagram|figure|plot|animation|gif|video above|video below) (?:\w+ )?(?:shows|show|illustrates|depicts|provided|released|taken|above|below) ",
    r" (?:is|are) (?:pictured|photographed) | (?:is|are) seen (?:here|outside|through an?|in the background|on an? \w* ?(?:screen|monitor)|in this|in an? (?:\w+ ){0,2}(?:photo|image|picture)) ",
    r" (?:pictured|seen|shown) (?:here|above|below|left|right|in this|in the (?:photo|picture|image)|center|centre) ",
    r" (?:pose|poses|posing|posed) (?:for|with) (?:an? )?(?:\w+ )?(?:photo|photos|photograph|picture|pictures|portrait|selfie) ",
    r" (?:getty images|shutterstock|unsplash|istock|alamy|wikimedia commons|adobe stock|pixabay|flickr) (?:via|plus|news|\w+ )?$",
    r" via getty| (?:reuters|afp|ap|epa|dpa) (?:photo|pool|file|via|handout) | photo (?:afp|reuters|ap|dpa|epa) ",
    r"^ (?:published|posted|updated|last updated|last modified|first published|submitted) (?:on |at |by |in )?(?:\w+ ){1,9}$",
    r" \d+ min(?:ute)?s? read | reading time | estimated read",
    r" is (?:an?|the|our) (?:[\w']+ ){0,5}(?:writer|reporter|correspondent|columnist|journalist|editor|blogger|contributor|freelancer) (?:at|for|with|of|on|based|covering|who|from|living|in) ",
    r" (?:writes about|reports on) (?:[\w']+ ){1,8}(?:for|at) ",
    r"^ (?:[\w']+ ){1,5}is (?:the|a) (?:author|co author|co founder and editor|creator and host|host) of ",
    r" (?:lives|resides) in (?:[\w']+ ){1,4}with (?:his|her|their) ",
    r"^ (?:translated (?:by|from)|übersetzt von|traduit (?:de|par)|traducido por) ",
    r"^ (?:foto|fotos|bild|bilder|grafik) (?:von|aus) | (?:symbolfoto|archivfoto|bildquelle) ",
    r" (?:picture alliance|imago images|symbolbild|archivbild) ",
    r"^ photos? (?:d'|de |par |afp )| photo d'(?:archives?|illustration) | crédits? photos? ",
    r"^ (?:foto de|fotos de|fotografía de|imagen de|imágenes de) | foto de archivo | imagen de archivo ",
    r"^ (?:veröffentlicht|zuletzt aktualisiert|stand|aktualisiert|publié|mis à jour|publicado|actualizado) (?:am|um|von|le|à|par|el|por|hace|\d+) ",
]);

/// Picture credits. Matched against the sentence as written, in lower case.
pub(super) static CREDIT: Patterns = Patterns::of(&[
    r"^\W*(?:photos?|photographs?|images?|pictures?|illustrations?|videos?|credits?|captions?|source|above|below|left|right|top|bottom|centre|center|clockwise|cover|art|graphic|chart|map|screenshot|fotos?|bild(?:er)?|grafik|quelle|légende|crédits?|imagen|fuente)\s?(?:credit|by|from left|left|right|above|below|photo)?\s?[:/|]",
    r"\((?:[\w .]{0,20}\b)?(?:photo|image|picture|credit|foto|bild|illustration|video|screenshot|courtesy|left|right|pictured)(?: (?:by|from|via|credit|courtesy)|:|/|\)| illustration)",
    r"\bap photo\b|/(?:getty|afp|ap|reuters|shutterstock|epa|dpa|alamy|redux|zuma|bloomberg)\b|\b(?:reuters|afp|ap|epa|dpa|picture alliance|getty images|imago)\s?/",
    r"[(/|]\s?(?:getty images|shutterstock|unsplash|istock|alamy)",
]);

/// Beginnings that refer to the previous sentence.
pub(super) static CONTINUATION: Patterns = Patterns::of(&[
    r"^ (?:he|she|it|they|him|them|his|her|their|its|it's|he's|she's|they're|they've|they'd|he'd|she'd|it'll|that's|this|that|these|those|such|both|neither|either|others|another|the (?:latter|former)) ",
    r"^ (?:but|and|or|nor|so|yet|however|also|then|instead|meanwhile|moreover|furthermore|therefore|thus|hence|still|nevertheless|nonetheless|otherwise|besides|additionally|similarly|likewise|consequently|accordingly|conversely|indeed|finally|lastly|secondly|thirdly|anyway|either way|for example|for instance|in addition|as a result|in other words|in contrast|by contrast|on the other hand|in short|in fact|of course|after that|because of (?:this|that)|here|which|who|whose|even so|not only that|plus|again|as (?:mentioned|noted|described|such)|to that end|to do (?:so|this|that)|there|next|elsewhere|afterwards?|since then|until then|by then|back then|from there|at that point|at the same time|because of that|more (?:recently|importantly)|earlier|later) ",
    r"^ (?:er|sie|es|ihm|ihnen|ihr|ihre|sein|seine|dies|diese|dieser|dieses|diesen|das ist|das war|das sind|damit|dabei|dazu|dafür|daher|deshalb|darum|dadurch|davon|dort|da|aber|und|oder|doch|denn|jedoch|allerdings|außerdem|zudem|trotzdem|dennoch|dann|danach|so|also|auch|hier|zum beispiel|stattdessen|gleichzeitig|schließlich) ",
    r"^ (?:il|elle|ils|elles|ce|c'est|cela|ça|cet|cette|ces|celui ci|celle ci|ceux ci|son|sa|ses|leur|leurs|mais|et|ou|or|donc|cependant|pourtant|toutefois|aussi|ainsi|alors|puis|ensuite|enfin|en effet|par exemple|de plus|en outre|par ailleurs|néanmoins|là|ici) ",
    r"^ (?:él|ella|ellos|ellas|ello|esto|eso|este|esta|estos|estas|ese|esa|esos|esas|su|sus|pero|y (?:el|la|los|las|en|de|no|se|por|con|es|que|una?)|sin embargo|además|también|así|entonces|luego|después|por eso|por ello|por lo tanto|no obstante|en cambio|por ejemplo|aunque|allí|ahí|aquí|finalmente) ",
]);

/// Beginnings that match [`CONTINUATION`] but refer to nothing before them.
pub(super) static RESOLVED: Patterns = Patterns::of(&[
    r"^ th(?:is|ese|at|ose) (?:week|weekend|month|year|morning|afternoon|evening|autumn|fall|winter|spring|summer|season|quarter|days|who) ",
    r"^ (?:diese woche|dieser tage|diesen monat|dieses jahr|diesen sommer|diesen winter|cette semaine|cette année|ce mois|ces jours|esta semana|este mes|este año|estos días) ",
    r"^ there (?:is|are|was|were|has|have|had|will|would|can|could|may|might|must|should|remains?|seems?|appears?|used|isn't|aren't|wasn't|weren't) ",
    r"^ next (?:week|weekend|month|year|monday|tuesday|wednesday|thursday|friday|saturday|sunday|spring|summer|autumn|fall|winter|season|generation) |^ (?:earlier|later) (?:this|in) ",
    r"^ (?:both|neither|either) (?:the|of the) |^ so (?:called|far) |^ such as ",
]);

/// Greetings, and statements of a text about itself.
pub(super) static LOW_CONTENT: Patterns = Patterns::of(&[
    r"^ (?:hi|hello|hey|dear|welcome|greetings|good (?:morning|afternoon|evening|day)|(?:morning|evening) (?:folks|all|everyone|everybody|friends)|happy (?:new|monday|tuesday|wednesday|thursday|friday|weekend|holidays|birthday|christmas)|merry|thanks|thank you|sorry|congratulations|congrats|enjoy|cheers|yes|ok|okay|wow|oh|hallo|liebe|lieber|willkommen|guten (?:morgen|tag|abend)|bonjour|bonsoir|bienvenue|cher|chère|chers|merci|salut|hola|bienvenidos?|buenos días|buenas|estimados?|gracias) ",
    r" (?:in|with|for) (?:this|today's|this week's|the following|the next|the previous|my (?:last|previous|next)) (?:blog |short |second |first |new |video |little |quick )?(?:post|article|episode|video|guide|tutorial|essay|issue|edition|newsletter|piece|entry|section|chapter|lesson|instalment|installment|column) ",
    r"^ (?:this|today's|the following|the rest of this) (?:blog |short )?(?:post|article|episode|video|guide|tutorial|essay|issue|edition|newsletter|piece|page|list|section) (?:is|was|will|describes|explains|shows|covers|contains|provides|gives|looks|explores|discusses|has|summari[sz]es|lists) ",
    r" (?:let's|let us|let me) (?:\w+ )?(?:dive|start|begin|look|take|get|go|talk|see|explain|know|jump|explore|break) ",
    r" (?:here's|here is|here are|below is|below are|these are) (?:what|how|why|where|a (?:list|quick|brief|look|summary|roundup|guide)|the (?:list|full|latest|most|top|best|full list)|some|our|my|everything|all|\w+ things|\w+ ways|\w+ takeaways) ",
    r"^ (?:this is|here's|here is) (?:an?|the|our|my|your) (?:[\w']+ ){0,3}(?:article|post|video|piece|thread|link|roundup|round up|newsletter|digest|list|summary|transcript|podcast|episode|blog|interview|series) ",
    r" (?:what|everything|all) you (?:need|have) to know ",
    r" (?:keep|read) (?:on |along )?(?:reading|to (?:find|learn|see))",
    r"^ as (?:always|usual|promised|ever) | (?:without further ado|stay tuned|more (?:on that )?(?:later|below|soon)|see you|talk soon|have a (?:great|good|nice)|happy (?:reading|coding|hacking|listening)) ",
    r" (?:in diesem (?:artikel|beitrag|text|video)|dans cet article|dans ce (?:billet|texte)|en este (?:artículo|texto|vídeo|video)) ",
]);
