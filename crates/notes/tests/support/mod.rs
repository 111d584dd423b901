//! Files of notes made at random, together with what they are meant to be: a tree whose rendering is written down here
//! once more, so that the parser and the edits are compared with something that shares no code with them.

#![allow(dead_code, reason = "each test file uses a part")]

/// A sequence of numbers that is the same on every machine (xorshift64*).
pub struct Random(u64);

impl Random {
    pub fn new(seed: u64) -> Self {
        Self(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1)
    }

    pub fn next(&mut self) -> u64 {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        self.0.wrapping_mul(0x2545_f491_4f6c_dd1d)
    }

    pub fn below(&mut self, n: usize) -> usize {
        usize::try_from(self.next() >> 33).unwrap() % n.max(1)
    }

    pub fn one_in(&mut self, n: usize) -> bool {
        self.below(n) == 0
    }

    pub fn pick<'a, T: ?Sized>(&mut self, from: &[&'a T]) -> &'a T {
        from[self.below(from.len())]
    }
}

#[derive(Clone, Debug)]
pub struct Node {
    /// Its lines without indentation: title first.
    pub title: String,
    pub properties: Vec<(String, String)>,
    /// Lines behind the properties.
    pub body: Vec<String>,
    pub children: Vec<Node>,
}

#[derive(Clone, Debug)]
pub struct Tree {
    pub preamble: Vec<String>,
    pub roots: Vec<Node>,
    pub unit: &'static str,
    pub newline: &'static str,
    pub has_final_newline: bool,
    pub has_byte_order_mark: bool,
    /// Blank lines at the end of the file.
    pub trailing: usize,
}

const TITLES: [&str; 22] = [
    "A plain sentence.",
    "TODO call the [[Harbour Office]] about berth 4",
    "DOING [#A] rewrite #parser #[[two words]]",
    "## A heading in a bullet",
    "",
    "See ((6650a1f0-0000-4000-8000-000000000001)) and [a link](https://example.org/a::b)",
    "`code - with dash` and **bold** and ==marked==",
    "{{query (and [[Rust]] (task TODO))}}",
    "{{embed ((6650a1f0-0000-4000-8000-000000000002))}}",
    "日本語のメモ 🦀",
    "std::vector is not a property",
    "a lone \r carriage return",
    "- a dash after the bullet",
    "trailing spaces   ",
    "![image](../assets/a.png){:height 20, :width 30}",
    "> a quote",
    "| a | b |",
    "1. numbered inside",
    "- [ ] a box",
    "Time is 10:30 :: not a property either",
    "#+BEGIN_NOTHING that is never closed",
    "``` never closed, with a `tick` in it",
];

const BODIES: [&[&str]; 12] = [
    &["a continuation line"],
    &["two", "lines"],
    &["```rust", "- not a block", "\tlet a = 1;", "key:: not a property", "", "```"],
    &["#+BEGIN_QUERY", "{:title \"open\"", " - [x]", "}", "#+END_QUERY"],
    &["~~~~", "```", "- x", "~~~~"],
    &["$$", "- \\frac{a}{b}", "$$"],
    &["* a list inside", "* of two"],
    &["SCHEDULED: <2026-03-02 Mon>"],
    &[":LOGBOOK:", "CLOCK: [2026-03-02 Mon 10:00:00]--[2026-03-02 Mon 11:00:00] =>  01:00:00", ":END:"],
    &["| a | b |", "|---|---|", "| 1 | 2 |"],
    &["", "after a blank line"],
    &["#+BEGIN_QUOTE", "- said", "#+END_QUOTE"],
];

const PROPERTIES: [(&str, &str); 6] = [
    ("collapsed", "true"),
    ("tags", "#a, [[b c]]"),
    ("background-color", "yellow"),
    ("source", "https://example.org/?a=b::c"),
    ("empty", ""),
    ("状態", "良い"),
];

pub fn node(random: &mut Random, depth: usize) -> Node {
    let title = random.pick(&TITLES).to_owned();
    let mut properties = Vec::new();
    if random.one_in(3) && !title.is_empty() {
        for _ in 0..=random.below(2) {
            let (key, value) = PROPERTIES[random.below(PROPERTIES.len())];
            if !properties.iter().any(|(known, _)| known == key) {
                properties.push((key.to_owned(), value.to_owned()));
            }
        }
    }
    let body = if random.one_in(3) {
        BODIES[random.below(BODIES.len())].iter().map(|line| (*line).to_owned()).collect()
    } else {
        Vec::new()
    };
    let count = if depth < 4 && random.one_in(2) { random.below(4) } else { 0 };
    let children = (0..count).map(|_| node(random, depth + 1)).collect();
    Node { title, properties, body, children }
}

pub fn tree(seed: u64) -> Tree {
    let mut random = Random::new(seed);
    let preamble: Vec<String> = match random.below(5) {
        0 => vec!["title:: A Page", "tags:: #x", ""],
        1 => vec!["---", "title: Front Matter", "- list: x", "---"],
        2 => vec!["", "some text without a bullet", ""],
        _ => vec![],
    }
    .into_iter()
    .map(str::to_owned)
    .collect();
    let roots = (0..=random.below(6)).map(|_| node(&mut random, 0)).collect();
    Tree {
        preamble,
        roots,
        unit: random.pick(&["\t", "  ", "    "]),
        newline: random.pick(&["\n", "\n", "\r\n"]),
        has_final_newline: random.one_in(2),
        has_byte_order_mark: random.one_in(5),
        trailing: if random.one_in(4) { 1 + random.below(2) } else { 0 },
    }
}

impl Node {
    fn render(&self, depth: usize, unit: &str, lines: &mut Vec<String>) {
        let indent = unit.repeat(depth);
        lines.push(if self.title.is_empty() { format!("{indent}-") } else { format!("{indent}- {}", self.title) });
        lines.extend(self.properties.iter().map(|(key, value)| {
            if value.is_empty() { format!("{indent}  {key}::") } else { format!("{indent}  {key}:: {value}") }
        }));
        lines.extend(
            self.body.iter().map(|line| if line.is_empty() { String::new() } else { format!("{indent}  {line}") }),
        );
        for child in &self.children {
            child.render(depth + 1, unit, lines);
        }
    }
}

impl Tree {
    pub fn render(&self) -> String {
        let mut lines = self.preamble.clone();
        for root in &self.roots {
            root.render(0, self.unit, &mut lines);
        }
        lines.extend(std::iter::repeat_n(String::new(), self.trailing));
        let mut text = lines.join(self.newline);
        if self.has_final_newline {
            text.push_str(self.newline);
        }
        if self.has_byte_order_mark { format!("\u{feff}{text}") } else { text }
    }

    /// Paths of all nodes, in the order of their lines.
    pub fn paths(&self) -> Vec<Vec<usize>> {
        fn walk(nodes: &[Node], path: &mut Vec<usize>, found: &mut Vec<Vec<usize>>) {
            for (index, node) in nodes.iter().enumerate() {
                path.push(index);
                found.push(path.clone());
                walk(&node.children, path, found);
                path.pop();
            }
        }
        let mut found = Vec::new();
        walk(&self.roots, &mut Vec::new(), &mut found);
        found
    }

    pub fn at(&mut self, path: &[usize]) -> &mut Node {
        let mut node = &mut self.roots[path[0]];
        for index in &path[1..] {
            node = &mut node.children[*index];
        }
        node
    }
}
