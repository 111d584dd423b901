//! Draws the screens: a list at the top, the selected entry below, keys at the bottom. Text of notes is shown without
//! control characters.

use ratatui::Frame;
use ratatui::layout::{Constraint, Layout, Rect};
use ratatui::style::{Color, Modifier, Style, Stylize as _};
use ratatui::text::{Line, Span, Text};
use ratatui::widgets::{Block, Borders, Clear, List, ListItem, ListState, Paragraph, Tabs, Wrap};

use super::editor::Editor;
use super::screens::{Overlay, Screen, Screens};
use crate::plan::{Decision, PlanAction, PlannedBlock};

/// On a terminal with fewer rows the selected entry is drawn without a frame.
const MIN_FRAMED_ROWS: u16 = 16;

pub(super) fn draw(screens: &mut Screens, frame: &mut Frame<'_>) {
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
    frame.render_widget(Line::from(format!("{mark}{}", one_line(&screens.status))).fg(Color::Yellow), status);
    frame.render_widget(Line::from(keys_of(screens)).dim(), keys);
    if let Some(overlay) = &mut screens.overlay {
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
        let text = match (screens.is_busy, screens.plan().failures.is_empty()) {
            (true, _) => Text::from("Nothing has been found yet."),
            (false, true) => Text::from("There is no lasting knowledge in these days."),
            (false, false) => failures(screens),
        };
        frame.render_widget(Paragraph::new(text).wrap(Wrap { trim: false }).block(border), area);
        return;
    };
    let mut scroll = 0;
    let mut text = match (&screens.editor, screens.screen) {
        (Some(editor), _) => {
            scroll = scroll_to_cursor(editor, border.inner(area));
            edited(editor)
        }
        (None, Screen::Classify) => in_context(block),
        (None, Screen::Reword) => {
            let mut text = in_context(block);
            text.push_line(Line::from("becomes").dim());
            text.extend(Text::from(shown_lines(&block.reworded)).bold());
            text
        }
        (None, Screen::Integrate) => places(block, screens.decision),
    };
    if screens.editor.is_none() {
        text.extend(failures(screens));
    }
    frame.render_widget(Paragraph::new(text).wrap(Wrap { trim: false }).scroll((scroll, 0)).block(border), area);
}

/// Renders what could not be finished, with what the user can do about it; nothing while requests are made.
fn failures(screens: &Screens) -> Text<'static> {
    let mut text = Text::default();
    let failures = &screens.plan().failures;
    if screens.is_busy || failures.is_empty() {
        return text;
    }
    for line in failures.iter().flat_map(|failure| failure.lines()) {
        text.push_line(Line::from(one_line(line)).fg(Color::Red));
    }
    text.push_line("Options: [Retry] r · [Skip] go on with what was found · [Cancel] q");
    text
}

/// Renders the edited text line by line, with the character at the cursor reversed.
fn edited(editor: &Editor) -> Text<'static> {
    let (before, after) = editor.halves();
    let mut text: Text<'static> = before.split('\n').map(|line| Line::from(shown(line))).collect();
    // At the end of a line there is no character, and the cursor is a space.
    let under = after.chars().next().filter(|c| *c != '\n');
    let rest = after.strip_prefix(|c: char| Some(c) == under).unwrap_or(&after);
    let under = under.map(|c| shown(&c.to_string())).filter(|under| !under.is_empty());
    text.push_span(Span::raw(under.unwrap_or_else(|| " ".to_owned())).reversed());
    let mut rest = rest.split('\n').map(shown);
    text.push_span(rest.next().unwrap_or_default());
    text.extend(rest);
    text
}

/// Returns the number of rows to scroll so that the cursor is visible. One row stays free below it, because the word at
/// the cursor may be wrapped once it is complete.
fn scroll_to_cursor(editor: &Editor, area: Rect) -> u16 {
    let to_cursor = format!("{}_", editor.halves().0);
    let before: Text<'static> = to_cursor.split('\n').map(|line| Line::from(shown(line))).collect();
    let rows = Paragraph::new(before).wrap(Wrap { trim: false }).line_count(area.width);
    u16::try_from(rows).unwrap_or(u16::MAX).saturating_sub(area.height.saturating_sub(1).max(1))
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
    text.push_line(Line::from(one_line(&block.reason)).italic());
    text
}

fn places(block: &PlannedBlock, selected: usize) -> Text<'static> {
    let mut text = Text::from(shown_lines(&block.reworded)).bold();
    if let Some(note) = &block.note {
        text.push_line(Line::from(one_line(note)).fg(Color::Yellow));
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

fn draw_overlay(overlay: &mut Overlay, frame: &mut Frame<'_>) {
    let area = frame.area();
    let inner = Rect { height: area.height.saturating_sub(1), ..area };
    frame.render_widget(Clear, inner);
    match overlay {
        Overlay::Diff { text, scroll } => {
            let lines = text.lines().map(|line| Line::styled(shown(line), colour(line)));
            let diff = Paragraph::new(lines.collect::<Vec<_>>()).wrap(Wrap { trim: false });
            let block = Block::bordered().title(" This would be written: y agrees ");
            let visible = block.inner(inner);
            let rows = u16::try_from(diff.line_count(visible.width)).unwrap_or(u16::MAX);
            *scroll = (*scroll).min(rows.saturating_sub(visible.height));
            frame.render_widget(diff.scroll((*scroll, 0)).block(block), inner);
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
    use ratatui::crossterm::event::KeyCode;

    use super::*;
    use crate::plan::Plan;

    fn sample() -> Screens {
        let json = r#"{"version":1,"graph":"/g","made_by":"local","blocks":[{"block":"k1","day":"2026-03-02","page":"Mar 2nd, 2026","file":"journals/2026_03_02.md",
            "text":"Learned that tugs\u001b[31m pull 65 tonnes","above":["Harbour"],"confidence":0.91,"reason":"gives a measure","reworded":"Tugs pull 65 tonnes.","apply":true,
            "decisions":[{"target_page":"Tugs","action":"add_under","target_block_id":"t","target_block_title":"Fleet","confidence":0.8,"reasoning":"about tugs","apply":true}]}]}"#;
        let plan: Plan = serde_json::from_str(json).unwrap();
        Screens::new(plan)
    }

    fn frame(screens: &mut Screens, (width, height): (u16, u16)) -> String {
        let mut terminal = Terminal::new(TestBackend::new(width, height)).unwrap();
        terminal.draw(|frame| draw(screens, frame)).unwrap();
        terminal.backend().to_string()
    }

    #[test]
    fn three_screens_and_the_diff_fit_a_small_terminal() {
        let mut screens = sample();
        screens.no_more_events();
        for size in [(80, 24), (120, 40), (40, 12), (20, 5)] {
            assert!(!frame(&mut screens, size).contains('\u{1b}'));
        }
        let first = frame(&mut screens, (80, 24));
        assert!(
            first.contains("[x] 2026-03-02  91 % Learned that tugs[31m pull 65 tonnes") && first.contains("- Harbour"),
            "{first}"
        );
        screens.key(KeyCode::Tab.into());
        assert!(frame(&mut screens, (80, 24)).contains("becomes"));
        screens.key(KeyCode::Tab.into());
        let third = frame(&mut screens, (80, 24));
        assert!(third.contains("(x)  80 % add_under Tugs › Fleet"), "{third}");
        screens.show_diff(Ok("--- a\n+++ b\n@@ -1 +1 @@\n+\t- Tugs\n".to_owned()));
        let diff = frame(&mut screens, (80, 24));
        assert!(diff.contains("y agrees") && diff.contains("+    - Tugs"), "{diff}");
    }

    #[test]
    fn a_text_of_several_lines_is_shown_line_by_line() {
        let mut plan = sample().plan().clone();
        plan.blocks[0].reworded = "Tugs pull:\n```\n65 tonnes\n```".to_owned();
        let mut screens = Screens::new(plan);
        screens.no_more_events();
        for key in [KeyCode::Char('2'), KeyCode::Char('3'), KeyCode::Char('e'), KeyCode::Home] {
            screens.key(key.into());
            let shown = frame(&mut screens, (40, 40));
            for line in ["Tugs pull:", "```", "65 tonnes"] {
                let row = format!("\"{line:<40}\"");
                assert!(shown.contains(&row), "{key:?}, {line}: {shown}");
            }
        }
    }

    #[test]
    fn the_cursor_of_a_long_text_is_visible() {
        let mut plan = sample().plan().clone();
        plan.blocks[0].reworded = format!("{}END", "Line\n".repeat(50));
        let mut screens = Screens::new(plan);
        for key in [KeyCode::Char('2'), KeyCode::Char('e')] {
            screens.key(key.into());
        }
        let (end, small) = (frame(&mut screens, (40, 24)), frame(&mut screens, (20, 5)));
        assert!(end.contains("\"END ") && small.contains("\"END "), "{end}{small}");
        screens.key(KeyCode::Home.into());
        assert!(!frame(&mut screens, (40, 24)).contains("\"END "));
    }

    #[test]
    fn a_long_line_of_the_diff_is_wrapped_and_the_end_is_not_scrolled_past() {
        let mut screens = sample();
        screens.show_diff(Ok(format!("{}+ {}END\n", "+ Tugs\n".repeat(30), "eleven-long ".repeat(20))));
        for _ in 0..20 {
            screens.key(KeyCode::PageDown.into());
        }
        let end = frame(&mut screens, (24, 20));
        assert!(end.contains("END") && !end.contains("Tugs"), "{end}");
        screens.key(KeyCode::PageUp.into());
        let above = frame(&mut screens, (24, 20));
        assert!(above.contains("Tugs") && !above.contains("END"), "{above}");
    }
}
