//! Draws the screen: the stories at the top, the selected one below, then a message and the keys.

use aha_core::feedback::FeedbackKind;
use ratatui::Frame;
use ratatui::layout::{Constraint, Layout, Rect};
use ratatui::style::{Color, Modifier, Style, Stylize as _};
use ratatui::text::{Line, Span, Text};
use ratatui::widgets::{Block, Borders, List, ListItem, ListState, Paragraph, Wrap};

use crate::review::{Review, Story};

const KEYS: &str = "n next  p previous  o open  l like  d dislike  s save  w why  u undo  ? help  q quit";
const FEW_KEYS: &str = "n/p move  o open  l/d/s say  w why  u undo  ? help  q quit";

const HELP: [(&str, &str); 13] = [
    ("n  j  Down", "the next story"),
    ("p  k  Up", "the one before"),
    ("Home  End", "the first, the last"),
    ("Space  PgDn  PgUp", "scroll the story"),
    ("o  Enter", "open its link in the browser, and mark it as read"),
    ("l", "like, or take that back"),
    ("d", "dislike, or take that back"),
    ("s", "save, or take that back"),
    ("x", "skip, or take that back"),
    ("r", "mark as read, or take that back"),
    ("w", "why it stands there, and back"),
    ("u", "undo the last of these, again and again"),
    ("q  Esc", "leave"),
];

pub(crate) fn draw(review: &mut Review, frame: &mut Frame<'_>) {
    let height = frame.area().height;
    let max_list_height = (height.saturating_sub(3) / 2).max(1);
    let list_height = u16::try_from(review.stories.len()).unwrap_or(u16::MAX).clamp(1, max_list_height);
    let rows = [
        Constraint::Length(1),
        Constraint::Length(list_height),
        Constraint::Fill(1),
        Constraint::Length(1),
        Constraint::Length(1),
    ];
    let [head, list, detail, message, keys] = Layout::vertical(rows).areas(frame.area());
    let at = if review.stories.is_empty() { 0 } else { review.selected + 1 };
    let heading = format!(" {}  {at} of {}", review.heading, review.stories.len());
    frame.render_widget(Line::from(heading).style(Style::new().add_modifier(Modifier::REVERSED)), head);
    if review.is_help {
        draw_help(frame, list.union(detail));
    } else {
        draw_list(review, frame, list);
        draw_detail(review, frame, detail);
    }
    frame.render_widget(Line::from(format!(" {}", review.message)).fg(Color::Yellow), message);
    let shown = if usize::from(keys.width) > KEYS.len() { KEYS } else { FEW_KEYS };
    frame.render_widget(Line::from(format!(" {shown}")).dim(), keys);
}

fn draw_list(review: &Review, frame: &mut Frame<'_>, area: Rect) {
    if review.stories.is_empty() {
        frame.render_widget(Line::from(" This digest shows no story: a quiet day."), area);
        return;
    }
    let items = review.stories.iter().map(|story| ListItem::new(row(story)));
    let list = List::new(items).highlight_style(Style::new().add_modifier(Modifier::BOLD | Modifier::UNDERLINED));
    let list = list.highlight_symbol(">");
    let mut state = ListState::default().with_selected(Some(review.selected));
    frame.render_stateful_widget(list, area, &mut state);
}

fn row(story: &Story) -> Line<'static> {
    let score = story.score.map_or_else(|| "  –".to_owned(), |score| format!("{score:3}"));
    let is_read = story.said.contains(&FeedbackKind::Read);
    let title = Span::raw(story.title.clone());
    let title = if is_read || !story.is_top { title.dim() } else { title };
    Line::from(vec![Span::raw(format!("{:3} ", story.rank)), Span::raw(score).fg(Color::Cyan), marks(story), title])
}

/// Returns a letter for each kind of feedback given, in the order of the keys.
fn marks(story: &Story) -> Span<'static> {
    let letters = [
        (FeedbackKind::Like, 'L'),
        (FeedbackKind::Dislike, 'D'),
        (FeedbackKind::Save, 'S'),
        (FeedbackKind::Skip, 'X'),
        (FeedbackKind::Read, 'R'),
    ];
    let said: String = letters.iter().filter(|(kind, _)| story.said.contains(kind)).map(|(_, letter)| letter).collect();
    Span::raw(format!(" {said:<3} ")).fg(Color::Green)
}

fn draw_detail(review: &mut Review, frame: &mut Frame<'_>, area: Rect) {
    let Some(story) = review.stories.get(review.selected) else { return };
    let mut lines = Vec::new();
    if let Some(why) = &review.why {
        lines.extend(why.iter().map(|line| Line::from(line.clone())));
    } else {
        lines.push(Line::from(story.title.clone()).bold());
        lines.push(Line::from(story.told_by.clone()).dim());
        lines.extend(story.url.iter().map(|url| Line::from(url.clone()).fg(Color::Cyan)));
        for paragraph in &story.text {
            lines.push(Line::default());
            lines.push(Line::from(paragraph.clone()));
        }
    }
    let block = Block::new().borders(Borders::TOP).border_style(Style::new().add_modifier(Modifier::DIM));
    let inner = block.inner(area);
    let text = Paragraph::new(Text::from(lines)).wrap(Wrap { trim: false });
    let rows = u16::try_from(text.line_count(inner.width)).unwrap_or(u16::MAX);
    review.scroll = review.scroll.min(rows.saturating_sub(inner.height));
    frame.render_widget(text.scroll((review.scroll, 0)).block(block), area);
}

fn draw_help(frame: &mut Frame<'_>, area: Rect) {
    let lines = HELP.map(|(keys, what)| Line::from(format!(" {keys:<18} {what}")));
    let block = Block::new().borders(Borders::TOP).title(" Keys ");
    frame.render_widget(Paragraph::new(Text::from(lines.to_vec())).block(block), area);
}
