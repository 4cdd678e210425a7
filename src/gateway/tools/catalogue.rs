//! The catalogue: names, words and closed schemas. Its digest is part of an installation, so that a tool can't change behind one.

use serde::Serialize;
use serde_json::{Value, json};

use crate::codec::canonical;
use crate::model::digest::Digest;
use crate::workspace::bounds::{LARGEST_FILE, LONGEST_LITERAL, MOST_LISTED, MOST_MATCHES, MOST_SEARCHED};

/// One tool.
#[derive(Debug, Clone, Serialize)]
pub struct Tool {
    /// What it does, for the agent.
    pub description: String,
    /// JSON Schema of its arguments. Closed: what it does not name is refused.
    #[serde(rename = "inputSchema")]
    pub input: Value,
    /// Its name.
    pub name: &'static str,
    /// The boundary operation that it stands for.
    pub operation: &'static str,
}

impl Tool {
    /// Bounded recursive metadata.
    pub const LIST_FILES: &'static str = "list_files";
    /// The exact text of one file.
    pub const READ_FILE: &'static str = "read_file";
    /// Lines with a literal text.
    pub const SEARCH_TEXT: &'static str = "search_text";
}

/// Every tool, in the order in which they are offered.
pub fn catalogue() -> Vec<Tool> {
    let path = |what: &str| json!({ "type": "string", "minLength": 1, "maxLength": 4096, "description": what });
    let below =
        path("A directory, from the top of the workspace, with / between its names. The whole workspace without it.");
    let closed = |properties: Value, required: &[&str]| json!({ "type": "object", "properties": properties, "required": required, "additionalProperties": false });
    vec![
        Tool {
            name: Tool::LIST_FILES,
            operation: "workspace.list_files",
            description: format!(
                "Lists the regular files of the workspace with their sizes, at most {MOST_LISTED}. Says what it left out and why."
            ),
            input: closed(json!({ "path": below }), &[]),
        },
        Tool {
            name: Tool::READ_FILE,
            operation: "workspace.read_file",
            description: format!(
                "Reads one UTF-8 file of at most {LARGEST_FILE} bytes, exactly as it is, and its SHA-256."
            ),
            input: closed(
                json!({ "path": path("The file, from the top of the workspace, with / between its names.") }),
                &["path"],
            ),
        },
        Tool {
            name: Tool::SEARCH_TEXT,
            operation: "workspace.search_text",
            description: format!(
                "Finds the lines that hold a literal text (no pattern), at most {MOST_MATCHES}, in at most {MOST_SEARCHED} bytes of files."
            ),
            input: closed(
                json!({
                    "path": below,
                    "text": { "type": "string", "minLength": 1, "maxLength": LONGEST_LITERAL, "description": "What to look for, within one line." },
                }),
                &["text"],
            ),
        },
    ]
}

/// SHA-256 of the catalogue as canonical JSON.
pub fn catalogue_digest() -> Digest {
    canonical::digest_of(&catalogue())
}
