//! The blocks of a generator's body, and how the step function finds the one to run.
//!
//! A block is straight code; it ends by setting the state, by returning or by raising. The body of
//! a `try` that can be left in its middle is a region of blocks of its own, inside a real `try`:
//! its states are consecutive, and its loop ends as soon as the state lies outside.

use super::output::{Label, Line, Piece};

/// The name that holds the current state.
pub const STATE: &str = "_mce_state";

/// Blocks and regions in the order of the source.
#[derive(Default)]
struct Region {
    items: Vec<Item>,
}

enum Item {
    Block(Block),
    Try(Try),
}

struct Block {
    label: Label,
    lines: Vec<Line>,
}

struct Try {
    region: Region,
    origin: u32,
    /// The `except` clauses.
    tail: Vec<Line>,
}

/// Builds the blocks of one generator.
pub struct Flow {
    /// The regions that are open, the outermost first.
    open: Vec<Region>,
    /// Whether the last block of the innermost region is still written to.
    live: bool,
    /// For each label the label that it stands for, if another.
    aliases: Vec<Option<Label>>,
    /// Whether a label was mentioned.
    used: Vec<bool>,
}

impl Flow {
    /// A body with one empty block, and that block's label.
    pub fn new() -> (Self, Label) {
        let mut flow = Self {
            open: vec![Region::default()],
            live: false,
            aliases: Vec::new(),
            used: Vec::new(),
        };
        let entry = flow.label();
        flow.used(entry);
        flow.open_block(entry);
        (flow, entry)
    }

    pub fn label(&mut self) -> Label {
        self.aliases.push(None);
        self.used.push(false);
        Label(self.aliases.len() - 1)
    }

    fn used(&mut self, label: Label) {
        if let Some(used) = self.used.get_mut(label.0) {
            *used = true;
        }
    }

    pub fn is_used(&self, label: Label) -> bool {
        self.used.get(label.0).copied().unwrap_or_default()
    }

    /// Whether code written now can be reached.
    pub fn is_live(&self) -> bool {
        self.live
    }

    fn block(&mut self) -> Option<&mut Block> {
        if !self.live {
            return None;
        }
        match self.open.last_mut()?.items.last_mut()? {
            Item::Block(block) => Some(block),
            Item::Try(_) => None,
        }
    }

    pub fn line(&mut self, line: Line) {
        for piece in &line.pieces {
            if let Piece::State(label) = piece {
                let label = *label;
                self.used(label);
            }
        }
        if let Some(block) = self.block() {
            block.lines.push(line);
        }
    }

    pub fn lines(&mut self, lines: Vec<Line>) {
        for line in lines {
            self.line(line);
        }
    }

    /// Ends the block: what follows cannot be reached.
    pub fn end_block(&mut self) {
        self.live = false;
    }

    /// Starts a block that is reached only through its label.
    pub fn open_block(&mut self, label: Label) {
        if let Some(region) = self.open.last_mut() {
            region.items.push(Item::Block(Block {
                label,
                lines: Vec::new(),
            }));
            self.live = true;
        }
    }

    /// Goes to `label` and ends the block.
    pub fn jump(&mut self, label: Label, origin: u32) {
        if !self.live {
            return;
        }
        let empty = self
            .block()
            .filter(|block| block.lines.is_empty())
            .map(|block| block.label);
        match empty {
            Some(own) if self.resolve(label) != Some(own) && own != label => {
                self.used(label);
                if let Some(alias) = self.aliases.get_mut(own.0) {
                    *alias = Some(label);
                }
                if let Some(region) = self.open.last_mut() {
                    region.items.pop();
                }
            }
            _ => self.line(state(0, origin, label)),
        }
        self.live = false;
    }

    /// Puts a label that was only jumped to from before: code goes on here from those jumps and
    /// from the block that is open.
    pub fn place(&mut self, label: Label, origin: u32) {
        if !self.is_used(label) {
            return;
        }
        self.place_head(label, origin);
    }

    /// Puts a label that may be jumped to from later.
    pub fn place_head(&mut self, label: Label, origin: u32) {
        self.jump(label, origin);
        self.used(label);
        self.open_block(label);
    }

    /// Opens the region of a `try` and its first block.
    pub fn open_region(&mut self, origin: u32) {
        let label = self.label();
        if self.live {
            self.used(label);
            // The block outside has a label of its own even when it is empty.
            self.line(state(0, origin, label));
        }
        self.open.push(Region::default());
        self.open_block(label);
    }

    /// Closes the region that was opened last; `tail` are its `except` clauses.
    pub fn close_region(&mut self, origin: u32, tail: Vec<Line>) {
        for line in &tail {
            for piece in &line.pieces {
                if let Piece::State(label) = piece {
                    let label = *label;
                    self.used(label);
                }
            }
        }
        let region = self.open.pop().unwrap_or_default();
        if let Some(outer) = self.open.last_mut() {
            outer.items.push(Item::Try(Try {
                region,
                origin,
                tail,
            }));
        }
        self.live = false;
    }

    fn resolve(&self, label: Label) -> Option<Label> {
        let mut label = label;
        // Aliases never form a circle: one is made only towards a label that leads elsewhere.
        for _ in 0..=self.aliases.len() {
            match self.aliases.get(label.0).copied().flatten() {
                Some(next) => label = next,
                None => return Some(label),
            }
        }
        None
    }

    /// The lines of the step function's loop, and the number of the `entry` state.
    pub fn finish(mut self, entry: Label, origin: u32) -> (Vec<Line>, usize) {
        let root = self.open.drain(..).next().unwrap_or_default();
        let mut numbers = vec![0; self.aliases.len()];
        let mut next = 0;
        number(&root, &mut numbers, &mut next);
        let resolved: Vec<usize> = (0..self.aliases.len())
            .map(|index| {
                self.resolve(Label(index))
                    .and_then(|label| numbers.get(label.0).copied())
                    .unwrap_or_default()
            })
            .collect();
        let mut lines = vec![Line::text(0, origin, "while True:")];
        dispatch(with_ranges(root, &numbers), 1, &numbers, &mut lines);
        for line in &mut lines {
            for piece in &mut line.pieces {
                if let Piece::State(label) = piece {
                    let number = resolved.get(label.0).copied().unwrap_or_default();
                    *piece = Piece::Text(number.to_string());
                }
            }
        }
        (lines, resolved.get(entry.0).copied().unwrap_or_default())
    }
}

/// A line that sets the state.
pub fn state(level: usize, origin: u32, label: Label) -> Line {
    Line::new(
        level,
        origin,
        vec![format!("{STATE} = ").into(), Piece::State(label)],
    )
}

fn number(region: &Region, numbers: &mut [usize], next: &mut usize) {
    for item in &region.items {
        match item {
            Item::Block(block) => {
                if let Some(number) = numbers.get_mut(block.label.0) {
                    *number = *next;
                }
                *next += 1;
            }
            Item::Try(inner) => number(&inner.region, numbers, next),
        }
    }
}

/// An item with its first and last state.
struct Numbered {
    first: usize,
    last: usize,
    item: Item,
}

fn with_ranges(region: Region, numbers: &[usize]) -> Vec<Numbered> {
    region
        .items
        .into_iter()
        .filter_map(|item| {
            let (first, last) = bounds(&item, numbers)?;
            Some(Numbered { first, last, item })
        })
        .collect()
}

fn bounds(item: &Item, numbers: &[usize]) -> Option<(usize, usize)> {
    match item {
        Item::Block(block) => {
            let number = numbers.get(block.label.0).copied()?;
            Some((number, number))
        }
        Item::Try(inner) => {
            let mut all = inner
                .region
                .items
                .iter()
                .filter_map(|item| bounds(item, numbers));
            let (first, end) = all.next()?;
            let last = all.next_back().map_or(end, |(_, last)| last);
            Some((first, last))
        }
    }
}

/// Writes the choice among `items` by state, as a balanced tree of `if`s.
fn dispatch(mut items: Vec<Numbered>, level: usize, numbers: &[usize], lines: &mut Vec<Line>) {
    if items.len() > 1 {
        let upper = items.split_off(items.len().div_ceil(2));
        let first = upper.first().map(|numbered| numbered.first);
        let origin = items.first().map_or(0, |numbered| origin(&numbered.item));
        let condition = first.map_or_else(String::new, |first| format!("if {STATE} < {first}:"));
        lines.push(Line::text(level, origin, condition));
        dispatch(items, level + 1, numbers, lines);
        lines.push(Line::text(level, origin, "else:"));
        dispatch(upper, level + 1, numbers, lines);
        return;
    }
    let Some(Numbered { first, last, item }) = items.pop() else {
        return;
    };
    match item {
        Item::Block(block) => {
            let origin = block.lines.first().map_or(0, |line| line.origin);
            if block.lines.is_empty() {
                lines.push(Line::text(level, origin, "pass"));
            }
            lines.extend(block.lines.into_iter().map(|line| line.indented(level)));
        }
        Item::Try(Try {
            region,
            origin,
            tail,
        }) => {
            lines.push(Line::text(level, origin, "try:"));
            let condition = if first == last {
                format!("while {STATE} == {first}:")
            } else {
                format!("while {first} <= {STATE} <= {last}:")
            };
            lines.push(Line::text(level + 1, origin, condition));
            dispatch(with_ranges(region, numbers), level + 2, numbers, lines);
            lines.extend(tail.into_iter().map(|line| line.indented(level)));
        }
    }
}

/// The line of the source that an item stands for.
fn origin(item: &Item) -> u32 {
    match item {
        Item::Block(block) => block.lines.first().map_or(0, |line| line.origin),
        Item::Try(inner) => inner.origin,
    }
}
