//! Maps drawn as text with labels and a path, followed by notes about what one character per cell cannot show.

use std::collections::HashMap;

use crate::{Cell, Ground, Pos, Size};

/// Draws a map with labels and a path: `.` is free, `#` blocked, `*` on the path, `!` on the path but blocked. Labels
/// replace path characters.
///
/// Notes below the picture list labels outside the map, on blocked cells, or on a cell that already has a label, and a
/// path that leaves the map.
pub fn draw(ground: &Ground, labels: impl IntoIterator<Item = (char, Pos)>, path: &[Cell]) -> String {
    let mut canvas = Canvas::new(ground.size(), |cell| ground.is_free(cell));
    for &cell in path {
        match canvas.cells.get_mut(cell.index()) {
            Some(shown @ ('.' | '*')) => *shown = '*',
            Some(shown) => *shown = '!',
            None => canvas.notes.push("the path leaves the map".to_owned()),
        }
    }
    for (label, pos) in labels {
        canvas.label(label, pos);
    }
    canvas.finish()
}

/// A picture in progress: one character per cell, and notes.
pub(super) struct Canvas {
    size: Size,
    cells: Vec<char>,
    /// The label of each labelled position.
    labelled: HashMap<Pos, char>,
    notes: Vec<String>,
}

impl Canvas {
    pub(super) fn new(size: Size, free: impl Fn(Cell) -> bool) -> Self {
        let cells = size.cells().map(|cell| if free(cell) { '.' } else { '#' }).collect();
        Self { size, cells, labelled: HashMap::new(), notes: Vec::new() }
    }

    /// Draws a label, or notes why it is not visible.
    pub(super) fn label(&mut self, label: char, pos: Pos) {
        let Some(cell) = self.size.cell(pos) else {
            self.notes.push(format!("{label} is outside the map, at {pos}"));
            return;
        };
        if let Some(other) = self.labelled.get(&pos) {
            self.notes.push(format!("{label} is where {other} is, at {pos}"));
            return;
        }
        let shown = &mut self.cells[cell.index()];
        if matches!(shown, '#' | '!') {
            self.notes.push(format!("{label} is on a blocked cell, at {pos}"));
        }
        *shown = label;
        self.labelled.insert(pos, label);
    }

    pub(super) fn finish(self) -> String {
        let mut text = String::with_capacity(self.cells.len() + self.size.height() as usize);
        for row in self.cells.chunks(self.size.width() as usize) {
            text.extend(row);
            text.push('\n');
        }
        for note in self.notes {
            text += &note;
            text.push('\n');
        }
        text
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Grid, MoveRules, Tiles};

    #[test]
    fn notes_list_what_the_picture_cannot_show() {
        let grid = Grid::new(Tiles::picture("...\n.#."), MoveRules::default());
        let label = |label, x, y| (label, Pos::new(x, y));
        let labels = [label('a', 0, 0), label('b', 0, 0), label('c', 1, 1), label('d', 9, 0)];
        assert_eq!(
            draw(grid.ground(), labels, &[Cell(0), Cell(1), Cell(4), Cell(5), Cell(6)]),
            "a*.\n.c*\nthe path leaves the map\nb is where a is, at 0,0\nc is on a blocked cell, at 1,1\n\
             d is outside the map, at 9,0\n"
        );
        assert_eq!(draw(grid.ground(), [], &[Cell(4), Cell(4), Cell(5)]), "...\n.!*\n");
    }
}
