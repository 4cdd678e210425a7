//! Any client of the Model Context Protocol, named by its path, with its arguments fixed at setup. `{mcp}` in one of them stands for the
//! file that names our server, in the form that most clients read.

use super::{Adapter, Contract, Prompt, Route, interpreted};

/// The adapter.
pub static ADAPTER: Adapter = Adapter {
    name: "generic",
    program: None,
    parts: interpreted,
    version: None,
    subcommand: None,
    grammar: &[],
    prompt: Prompt::Refused,
    variables: &[],
    contract,
    gaps: &[
        "nothing is known of the client: tools of its own are not closed",
        "its version is not asked for; its bytes are measured",
        "what it reads reaches whomever it talks to",
        "its process may do all that its user may",
    ],
};

fn contract(route: &Route<'_>) -> Contract {
    let file = route.files.join("mcp.json");
    let arguments = route.arguments.iter().map(|word| word.replace("{mcp}", &file.to_string_lossy()).into()).collect();
    Contract { files: vec![("mcp", "mcp.json", route.mcp())], arguments, ..Contract::default() }
}
