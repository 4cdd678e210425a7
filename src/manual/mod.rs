//! MANUAL: the prose, served by `git boundary manual <page>`.

mod refusals;

/// One page.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Page {
    /// What a boundary is, and the way of one piece of work.
    Boundary,
    /// How a push is judged.
    Gate,
    /// What became of a proposal.
    Life,
    /// Every refusal code.
    Refusals,
    /// Where things live.
    Storage,
    /// A server that judges what it is sent.
    Server,
    /// An agent that can only look.
    Gateway,
    /// Who is trusted with what.
    Trust,
    /// What is not proved.
    Threats,
    /// What the words mean.
    Glossary,
}

impl Page {
    /// All pages, in the order in which they are best read.
    pub const ALL: [Page; 10] = [
        Page::Boundary,
        Page::Gate,
        Page::Life,
        Page::Refusals,
        Page::Storage,
        Page::Server,
        Page::Gateway,
        Page::Trust,
        Page::Threats,
        Page::Glossary,
    ];

    /// The word to ask for it by.
    pub fn name(self) -> &'static str {
        match self {
            Page::Boundary => "boundary",
            Page::Gate => "gate",
            Page::Life => "life",
            Page::Refusals => "refusals",
            Page::Storage => "storage",
            Page::Server => "server",
            Page::Gateway => "gateway",
            Page::Trust => "trust",
            Page::Threats => "threats",
            Page::Glossary => "glossary",
        }
    }

    /// What it is about, in half a line.
    pub fn summary(self) -> &'static str {
        match self {
            Page::Boundary => "what a boundary is, and the way of one piece of work",
            Page::Gate => "how a push is judged",
            Page::Life => "what became of a proposal: its decisions, events and currency",
            Page::Refusals => "every code: when it is raised and what is safe to do then",
            Page::Storage => "where things live, and how they travel",
            Page::Server => "a server of your own that judges what it is sent",
            Page::Gateway => "an agent that can look at a worktree through us, and nothing else",
            Page::Trust => "who is trusted with what, and since when",
            Page::Threats => "what is not proved, and where other tools are better",
            Page::Glossary => "what the words mean",
        }
    }

    /// The page, in Markdown.
    pub fn text(self) -> String {
        match self {
            Page::Boundary => include_str!("boundary.md").to_owned(),
            Page::Gate => include_str!("gate.md").to_owned(),
            Page::Life => include_str!("life.md").to_owned(),
            Page::Refusals => refusals::page(),
            Page::Storage => include_str!("storage.md").to_owned(),
            Page::Server => include_str!("server.md").to_owned(),
            Page::Gateway => include_str!("gateway.md").to_owned(),
            Page::Trust => include_str!("trust.md").to_owned(),
            Page::Threats => include_str!("threats.md").to_owned(),
            Page::Glossary => include_str!("glossary.md").to_owned(),
        }
    }
}

#[cfg(test)]
mod tests;
