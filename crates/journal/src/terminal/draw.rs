//! Draws the screens: a list at the top, the selected entry below, keys at the bottom. Text of notes is shown without
//! control characters.

use ratatui::Frame;
use ratatui::layout::{Constraint, Layout, Rect};
use ratatui::style::{Color, Modifier, Style, Stylize as _};
use ratatui::text::{Line, Span, Text};
use ratatui::widgets::{Block, Borders, Clear, List, ListItem, ListState, Paragraph, Tabs, Wrap};

use super::screens::{Overlay, Screen, Screens};
use crate::plan::{Decision, PlanAction, PlannedBlock};

/// On a terminal with fewer rows the selected entry is drawn without a frame.
const MIN_FRAMED_ROWS: u16 = 16;

pub(super) fn draw(screens: &Screens, frame: &mut Frame<'_>) {
    let rows =
        [Constraint::Length(1), Constraint::Fill(1), Constraint::Fill(1), Constraint::Length(1), Constraint::Length(1)];
    let [head, list, detail, status, keys] = Layout::vertical(rows).areas(frame.area());
    let titles = ["1 Knowledge", "2 Wording", "3 Places"];
    let at = match screens.screen {
        Screen::Classify => 0,
        Screen::Reword => 1,
        Screen::Integrate => 2,
    };
    let tabs = Tabs::new(titles).select(at).highlight_style(Style::new().add_modifier(Modifier::REVERSED));
    frame.render_widget(tabs, head);
    blocks(screens, frame, list);
    selected(screens, frame, detail);
    let mark = if screens.is_busy { "… " } else { "" };
    frame.render_widget(Line::from(format!("{mark}{}", shown(&screens.status))).fg(Color::Yellow), status);
    frame.render_widget(Line::from(keys_of(screens)).dim(), keys);
    if let Some(overlay) = &screens.overlay {
        draw_overlay(overlay, frame);
    }
}

fn keys_of(screens: &Screens) -> &'static str {
    if screens.editor.is_some() {
        return "Enter keep  Esc drop  ←→ Home End move";
    }
    match (&screens.overlay, screens.screen) {
        (Some(Overlay::Diff { .. }), _) => "y write  Esc back  ↑↓ scroll",
        (Some(_), _) => "any key goes back",
        (None, Screen::Classify) => "↑↓ move  Space tick  Enter next  d diff  ? help  q quit",
        (None, Screen::Reword) => "↑↓ move  Space tick  e edit  Enter next  d diff  ? help  q quit",
        (None, Screen::Integrate) => "↑↓ move  ←→ place  x choose  Space tick  e edit  Enter diff  q quit",
    }
}

fn blocks(screens: &Screens, frame: &mut Frame<'_>, area: Rect) {
    let all = &screens.plan().blocks;
    let ticked = all.iter().filter(|block| block.apply).count();
    let title = format!(" {} blocks with knowledge, {ticked} to be written ", all.len());
    let items = all.iter().map(|block| ListItem::new(row(block, screens.screen)));
    let list = List::new(items)
        .block(Block::new().borders(Borders::TOP).title(title))
        .highlight_style(Style::new().add_modifier(Modifier::REVERSED));
    let mut state = ListState::default().with_selected((!all.is_empty()).then_some(screens.selected));
    frame.render_stateful_widget(list, area, &mut state);
}

fn row(block: &PlannedBlock, screen: Screen) -> Line<'static> {
    let tick = if block.apply { "[x] " } else { "[ ] " };
    let text = match screen {
        Screen::Classify => format!("{} {:3.0} % {}", block.day, block.confidence * 100.0, one_line(&block.text)),
        Screen::Reword => one_line(&block.reworded),
        Screen::Integrate => {
            let chosen: Vec<&str> =
                block.decisions.iter().filter(|place| place.apply).map(|place| place.target_page.as_str()).collect();
            let where_to = if chosen.is_empty() {
                block.note.clone().unwrap_or_else(|| "nowhere".to_owned())
            } else {
                chosen.join(", ")
            };
            format!("{} ← {}", one_line(&where_to), one_line(&block.reworded))
        }
    };
    Line::from(vec![Span::raw(tick), Span::raw(text)])
}

fn selected(screens: &Screens, frame: &mut Frame<'_>, area: Rect) {
    let border = Block::new().borders(if frame.area().height < MIN_FRAMED_ROWS { Borders::NONE } else { Borders::TOP });
    let Some(block) = screens.current() else {
        let text = if screens.is_busy {
            "Nothing has been found yet."
        } else {
            "There is no lasting knowledge in these days."
        };
        frame.render_widget(Paragraph::new(text).block(border), area);
        return;
    };
    let text = match (&screens.editor, screens.screen) {
        (Some(editor), _) => {
            let (before, after) = editor.halves();
            let mut rest = after.chars();
            let under = rest.next().map_or_else(|| " ".to_owned(), String::from);
            Text::from(Line::from(vec![
                Span::raw(shown(&before)),
                Span::raw(shown(&under)).reversed(),
                Span::raw(shown(rest.as_str())),
            ]))
        }
        (None, Screen::Classify) => in_context(block),
        (None, Screen::Reword) => {
            let mut text = in_context(block);
            text.push_line(Line::from("becomes").dim());
            text.extend(Text::from(shown(&block.reworded)).bold());
            text
        }
        (None, Screen::Integrate) => places(block, screens.decision),
    };
    frame.render_widget(Paragraph::new(text).wrap(Wrap { trim: false }).block(border), area);
}

fn in_context(block: &PlannedBlock) -> Text<'static> {
    let mut text = Text::default();
    for (depth, above) in block.above.iter().enumerate() {
        text.push_line(Line::from(format!("{}- {}", "  ".repeat(depth), one_line(above))).dim());
    }
    let indent = "  ".repeat(block.above.len());
    for (at, line) in block.text.lines().enumerate() {
        text.push_line(format!("{indent}{}{}", if at == 0 { "- " } else { "  " }, shown(line)));
    }
    text.push_line(Line::from(shown(&block.reason)).italic());
    text
}

fn places(block: &PlannedBlock, selected: usize) -> Text<'static> {
    let mut text = Text::from(shown(&block.reworded)).bold();
    if let Some(note) = &block.note {
        text.push_line(Line::from(shown(note)).fg(Color::Yellow));
    }
    for (at, place) in block.decisions.iter().enumerate() {
        let style = if at == selected { Style::new().add_modifier(Modifier::REVERSED) } else { Style::new() };
        text.push_line(Line::styled(place_line(place), style));
        text.push_line(Line::from(format!("      {}", one_line(&place.reasoning))).dim());
    }
    text
}

fn place_line(place: &Decision) -> String {
    let choice = if place.action == PlanAction::SkipExists {
        "(=)"
    } else if place.apply {
        "(x)"
    } else {
        "( )"
    };
    let below = place.target_block_title.as_ref().map_or_else(String::new, |title| format!(" › {}", one_line(title)));
    let new = if place.is_new_page { ", a new page" } else { "" };
    format!(
        "{choice} {:3.0} % {} {}{below}{new}",
        place.confidence * 100.0,
        place.action.as_str(),
        one_line(&place.target_page)
    )
}

fn draw_overlay(overlay: &Overlay, frame: &mut Frame<'_>) {
    let area = frame.area();
    let inner = Rect { height: area.height.saturating_sub(1), ..area };
    frame.render_widget(Clear, inner);
    match overlay {
        Overlay::Diff { text, scroll } => {
            let lines = text.lines().map(|line| Line::styled(shown(line), colour(line)));
            let title = " This would be written: y agrees ";
            let diff =
                Paragraph::new(lines.collect::<Vec<_>>()).scroll((*scroll, 0)).block(Block::bordered().title(title));
            frame.render_widget(diff, inner);
        }
        Overlay::Message(text) => {
            frame.render_widget(
                Paragraph::new(shown_lines(text)).wrap(Wrap { trim: false }).block(Block::bordered()),
                inner,
            );
        }
        Overlay::Help => frame.render_widget(Paragraph::new(HELP).block(Block::bordered().title(" Keys ")), inner),
    }
}

const HELP: &str = "1 2 3, Tab     the screens: knowledge, wording, places
↑ ↓, j k       the block before, the next one
Space          whether the block is written
e              edit the wording
← →            the place before, the next one (on screen 3)
x              choose that place, or not
r              ask again for what could not be finished
d, Enter       show what would be written; y there writes it
q              leave; nothing is written without y";

fn colour(line: &str) -> Style {
    let is_header = line.starts_with("+++") || line.starts_with("---");
    match line.chars().next() {
        _ if is_header => Style::new().add_modifier(Modifier::BOLD),
        Some('+') => Style::new().fg(Color::Green),
        Some('-') => Style::new().fg(Color::Red),
        Some('@') => Style::new().fg(Color::Cyan),
        _ => Style::new(),
    }
}

fn shown_lines(text: &str) -> String {
    text.lines().map(shown).collect::<Vec<_>>().join("\n")
}

fn one_line(text: &str) -> String {
    shown(&text.lines().collect::<Vec<_>>().join(" "))
}

/// Removes control characters and characters that reorder text.
fn shown(text: &str) -> String {
    let is_direction =
        |c: char| matches!(c, '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}');
    let text = text.replace('\t', "    ");
    text.chars().filter(|c| !c.is_control() && !is_direction(*c)).collect()
}

#[cfg(test)]
mod tests {
    use ratatui::Terminal;
    use ratatui::backend::TestBackend;

    use super::super::Key;
    use super::*;
    use crate::plan::Plan;

    fn sample() -> Screens {
        let json = r#"{"version":1,"graph":"/g","made_by":"local","blocks":[{"block":"k1","day":"2026-03-02","page":"Mar 2nd, 2026","file":"journals/2026_03_02.md",
            "text":"Learned that tugs\u001b[31m pull 65 tonnes","above":["Harbour"],"confidence":0.91,"reason":"gives a measure","reworded":"Tugs pull 65 tonnes.","apply":true,
            "decisions":[{"target_page":"Tugs","action":"add_under","target_block_id":"t","target_block_title":"Fleet","confidence":0.8,"reasoning":"about tugs","apply":true}]}]}"#;
        let plan: Plan = serde_json::from_str(json).unwrap();
        Screens::new(plan)
    }

    fn frame(screens: &Screens, (width, height): (u16, u16)) -> String {
        let mut terminal = Terminal::new(TestBackend::new(width, height)).unwrap();
        terminal.draw(|frame| draw(screens, frame)).unwrap();
        terminal.backend().to_string()
    }

    #[test]
    fn three_screens_and_the_diff_fit_a_small_terminal() {
        let mut screens = sample();
        screens.no_more_events();
        for size in [(80, 24), (120, 40), (40, 12), (20, 5)] {
            assert!(!frame(&screens, size).contains('\u{1b}'));
        }
        let first = frame(&screens, (80, 24));
        assert!(
            first.contains("[x] 2026-03-02  91 % Learned that tugs[31m pull 65 tonnes") && first.contains("- Harbour"),
            "{first}"
        );
        screens.key(Key::Tab);
        assert!(frame(&screens, (80, 24)).contains("becomes"));
        screens.key(Key::Tab);
        let third = frame(&screens, (80, 24));
        assert!(third.contains("(x)  80 % add_under Tugs › Fleet"), "{third}");
        screens.show_diff(Ok("--- a\n+++ b\n@@ -1 +1 @@\n+\t- Tugs\n".to_owned()));
        let diff = frame(&screens, (80, 24));
        assert!(diff.contains("y agrees") && diff.contains("+    - Tugs"), "{diff}");
    }
}
