//! What a report writes on: lines, aligned fields and tables. It is kept in memory and goes out at once, at one door.

use super::text::Text;
use crate::model::asserted::Asserted;

/// Narrower than this nothing is wrapped: it would only get worse.
const LEAST_WRAP: usize = 20;

/// A page under way.
#[derive(Debug)]
pub struct Out {
    buffer: String,
    styled: bool,
    width: Option<usize>,
}

impl Out {
    /// An empty page. `width` is the terminal's; without one nothing is wrapped.
    pub fn new(styled: bool, width: Option<usize>) -> Self {
        Out { buffer: String::new(), styled, width }
    }

    /// The page so far.
    pub fn as_str(&self) -> &str {
        &self.buffer
    }

    /// One line, never wrapped: commands stay fit for copying.
    pub fn line(&mut self, text: impl Into<Text>) {
        self.at(0, &text.into());
    }

    /// One line, set in by `indent` columns.
    pub fn indented(&mut self, indent: usize, text: impl Into<Text>) {
        self.at(indent, &text.into());
    }

    /// An empty line.
    pub fn blank(&mut self) {
        self.buffer.push('\n');
    }

    /// A sentence or several, wrapped to the terminal.
    pub fn paragraph(&mut self, text: impl Into<Text>) {
        self.hanging(Text::new(), 0, &text.into());
    }

    /// A command to be typed as it stands, on a line of its own.
    pub fn command(&mut self, command: &str) {
        self.at(2, &Text::bold(command));
    }

    /// Text of several lines by somebody else: each escaped and set in, so that none can pass for a line of ours.
    pub fn block(&mut self, indent: usize, text: &str) {
        for line in text.trim_end_matches('\n').split('\n') {
            self.at(indent, &Text::from(line.strip_suffix('\r').unwrap_or(line)));
        }
    }

    /// The asserted zone: shown apart and labelled, since nobody checked it. Nothing for nothing.
    pub fn asserted(&mut self, said: &Asserted) {
        if said.is_empty() {
            return;
        }
        self.line(Text::dim("asserted (not checked by anyone):"));
        let mut fields = Fields::indented(2);
        for (name, value) in said.for_display() {
            fields.add(name, value);
        }
        self.fields(&fields);
    }

    /// Aligned `label  value` lines.
    pub fn fields(&mut self, fields: &Fields) {
        let widest = fields.lines.iter().map(|(label, _)| label.width()).max().unwrap_or(0);
        for (label, value) in &fields.lines {
            let indent = " ".repeat(fields.indent);
            let gap = " ".repeat(widest - label.width() + 2);
            let head = Text::from(indent).then(label.clone()).then(gap);
            self.hanging(head, fields.indent + widest + 2, value);
        }
    }

    /// Aligned columns; the last one wraps on a terminal.
    pub fn table(&mut self, table: &Table) {
        let columns = table.rows.iter().map(Vec::len).max().unwrap_or(0);
        let widths: Vec<usize> = (0..columns)
            .map(|column| table.rows.iter().filter_map(|row| row.get(column)).map(Text::width).max().unwrap_or(0))
            .collect();
        for row in &table.rows {
            let Some((last, before)) = row.split_last() else { continue };
            let mut head = Text::new();
            let mut used = 0;
            for (cell, width) in before.iter().zip(&widths) {
                head = head.then(cell.clone()).then(" ".repeat(width - cell.width() + 2));
                used += width + 2;
            }
            self.hanging(head, used, last);
        }
    }

    fn at(&mut self, indent: usize, text: &Text) {
        self.buffer.push_str(&" ".repeat(indent));
        text.render(self.styled, &mut self.buffer);
        self.end();
    }

    /// `head`, then `text` from column `used` on, its further lines below its first.
    fn hanging(&mut self, head: Text, used: usize, text: &Text) {
        let room = self.width.map_or(usize::MAX, |width| width.saturating_sub(used));
        let lines = if room < LEAST_WRAP { vec![text.clone()] } else { text.wrapped(room) };
        head.render(self.styled, &mut self.buffer);
        for (place, line) in lines.iter().enumerate() {
            if place > 0 {
                self.buffer.push_str(&" ".repeat(used));
            }
            line.render(self.styled, &mut self.buffer);
            self.end();
        }
    }

    /// Ends a line; padding before an empty cell is nothing to keep.
    fn end(&mut self) {
        self.buffer.truncate(self.buffer.trim_end_matches(' ').len());
        self.buffer.push('\n');
    }
}

/// Lines of a label and a value.
#[derive(Debug, Default)]
pub struct Fields {
    indent: usize,
    lines: Vec<(Text, Text)>,
}

impl Fields {
    /// At the margin.
    pub fn new() -> Self {
        Fields::default()
    }

    /// Set in by `indent` columns.
    pub fn indented(indent: usize) -> Self {
        Fields { indent, lines: Vec::new() }
    }

    /// One more line. Both sides are escaped.
    pub fn add(&mut self, label: impl std::fmt::Display, value: impl Into<Text>) -> &mut Self {
        self.lines.push((Text::dim(label), value.into()));
        self
    }

    /// One more line, where there is a value.
    pub fn add_some(&mut self, label: impl std::fmt::Display, value: Option<impl Into<Text>>) -> &mut Self {
        match value {
            Some(value) => self.add(label, value),
            None => self,
        }
    }
}

/// Rows of cells.
#[derive(Debug, Default)]
pub struct Table {
    rows: Vec<Vec<Text>>,
}

impl Table {
    /// Without a heading.
    pub fn new() -> Self {
        Table::default()
    }

    /// With a heading.
    pub fn headed(titles: &[&str]) -> Self {
        Table { rows: vec![titles.iter().map(Text::dim).collect()] }
    }

    /// One more row. All cells are escaped.
    pub fn row(&mut self, cells: impl IntoIterator<Item = Text>) -> &mut Self {
        self.rows.push(cells.into_iter().collect());
        self
    }
}

#[cfg(test)]
#[path = "out_tests.rs"]
mod tests;
