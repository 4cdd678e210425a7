//! Text for a screen. Whatever goes in is escaped on the way, so that a report can't show a stranger's text raw.

use std::fmt::Display;
use std::fmt::Write as _;
use std::path::Path;

use anstyle::{AnsiColor, Style};
use unicode_width::UnicodeWidthStr as _;

use super::terminal::{escape, escape_bytes, escape_path};

/// How a piece of text looks where colour can be shown. Meaning never rests on it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Paint {
    /// As it is.
    Plain,
    /// What a line is about.
    Bold,
    /// Labels, and what is merely said.
    Dim,
    /// Against it.
    Red,
    /// In its favour.
    Green,
    /// Undecided, or a warning.
    Yellow,
}

impl Paint {
    fn style(self) -> Style {
        let colour = |colour: AnsiColor| Style::new().fg_color(Some(colour.into()));
        match self {
            Paint::Plain => Style::new(),
            Paint::Bold => Style::new().bold(),
            Paint::Dim => Style::new().dimmed(),
            Paint::Red => colour(AnsiColor::Red).bold(),
            Paint::Green => colour(AnsiColor::Green),
            Paint::Yellow => colour(AnsiColor::Yellow),
        }
    }
}

/// One line of escaped text in pieces of different paint.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Text(Vec<(Paint, String)>);

impl<T: Display> From<T> for Text {
    fn from(value: T) -> Self {
        Text::painted(Paint::Plain, value)
    }
}

impl Text {
    /// Nothing.
    pub fn new() -> Self {
        Text::default()
    }

    /// `value`, escaped and painted.
    pub fn painted(paint: Paint, value: impl Display) -> Self {
        Text(vec![(paint, escape(&value.to_string()))])
    }

    /// Bold.
    pub fn bold(value: impl Display) -> Self {
        Text::painted(Paint::Bold, value)
    }

    /// Dim.
    pub fn dim(value: impl Display) -> Self {
        Text::painted(Paint::Dim, value)
    }

    /// Red.
    pub fn red(value: impl Display) -> Self {
        Text::painted(Paint::Red, value)
    }

    /// Green.
    pub fn green(value: impl Display) -> Self {
        Text::painted(Paint::Green, value)
    }

    /// Yellow.
    pub fn yellow(value: impl Display) -> Self {
        Text::painted(Paint::Yellow, value)
    }

    /// A path, in whatever encoding.
    pub fn path(path: &Path) -> Self {
        Text(vec![(Paint::Plain, escape_path(path))])
    }

    /// Bytes that should be text: git's names and messages.
    pub fn bytes(bytes: &[u8]) -> Self {
        Text(vec![(Paint::Plain, escape_bytes(bytes))])
    }

    /// With more after it.
    #[must_use]
    pub fn then(mut self, more: impl Into<Text>) -> Self {
        self.0.extend(more.into().0);
        self
    }

    /// Columns of a terminal that it takes.
    pub fn width(&self) -> usize {
        self.0.iter().map(|(_, piece)| piece.width()).sum()
    }

    /// Whether there is nothing to see.
    pub fn is_empty(&self) -> bool {
        self.0.iter().all(|(_, piece)| piece.is_empty())
    }

    /// Appends it, with colour codes if `styled`.
    pub(super) fn render(&self, styled: bool, out: &mut String) {
        for (paint, piece) in &self.0 {
            let style = paint.style();
            if styled && *paint != Paint::Plain && !piece.is_empty() {
                // Writing to a String can't fail.
                let _ = write!(out, "{}{piece}{}", style.render(), style.render_reset());
            } else {
                out.push_str(piece);
            }
        }
    }

    /// Broken at spaces into lines of at most `columns`; a word that is longer stays whole.
    pub(super) fn wrapped(&self, columns: usize) -> Vec<Text> {
        if self.width() <= columns {
            return vec![self.clone()];
        }
        let mut lines = vec![Text::new()];
        let mut used = 0;
        for word in self.words() {
            let wide = word.width();
            if used > 0 && used + wide.min(word.trimmed_width()) > columns {
                lines.push(Text::new());
                used = 0;
            }
            used += wide;
            if let Some(line) = lines.last_mut() {
                line.0.extend(word.0);
            }
        }
        for line in &mut lines {
            if let Some((_, piece)) = line.0.last_mut() {
                piece.truncate(piece.trim_end_matches(' ').len());
            }
        }
        lines
    }

    /// Runs of text, each with the spaces after it; a run may have several paints.
    fn words(&self) -> Vec<Text> {
        let mut words = vec![Text::new()];
        let mut open = true;
        for (paint, piece) in &self.0 {
            for part in piece.split_inclusive(' ') {
                if !open {
                    words.push(Text::new());
                }
                open = !part.ends_with(' ');
                if let Some(word) = words.last_mut() {
                    word.0.push((*paint, part.to_owned()));
                }
            }
        }
        words
    }

    fn trimmed_width(&self) -> usize {
        let spaces = self.0.last().map_or(0, |(_, piece)| piece.len() - piece.trim_end_matches(' ').len());
        self.width() - spaces
    }
}
