//! The catalogue: names, words and closed schemas. Its digest is part of an installation, so that a tool can't change behind one.

use serde::Serialize;
use serde_json::{Value, json};

use super::act::{LONGEST_KEY, LONGEST_MEDIA_TYPE, LONGEST_REASON, MOST_WISHES};
use crate::codec::canonical;
use crate::model::digest::Digest;
use crate::model::envelope::Action;
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
    /// A wish that an owner decides.
    pub const REQUEST_ACTION: &'static str = "request_action";
    /// How wishes stand.
    pub const ACTION_STATUS: &'static str = "action_status";
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
        Tool {
            name: Tool::REQUEST_ACTION,
            operation: "request_action",
            description: format!(
                "Asks the owner for one action, {:?}: one file with exactly these bytes, at most {LARGEST_FILE}, in the place of exactly what preimage names. Nothing is written before the owner approves. The same request again is the same request; for a new one of the same content name another key. At most {MOST_WISHES} in a session.",
                Action::WORKSPACE_WRITE
            ),
            input: closed(
                json!({
                    "operation": { "type": "string", "maxLength": 256, "description": "workspace.write. Nothing else can be asked for." },
                    "path": path("The file, from the top of the workspace, with / between its names."),
                    "content": { "type": "string", "description": "All of the file as it is to be." },
                    "encoding": { "type": "string", "enum": ["utf-8", "base64"], "description": "What content is written in; utf-8 without it." },
                    "media_type": { "type": "string", "maxLength": LONGEST_MEDIA_TYPE, "description": "What the content is, such as text/plain." },
                    "preimage": { "type": "string", "maxLength": 71, "description": "What it replaces: the sha256 that read_file tells, or absent where there is no file." },
                    "reason": { "type": "string", "maxLength": LONGEST_REASON, "description": "Why, for the owner." },
                    "key": { "type": "string", "maxLength": LONGEST_KEY, "description": "Your name for this request: another one makes a new request." },
                }),
                &["operation"],
            ),
        },
        Tool {
            name: Tool::ACTION_STATUS,
            operation: "action_status",
            description: "Tells how the actions that this session asked for stand. Carries out nothing.".to_owned(),
            input: closed(
                json!({ "action": { "type": "string", "maxLength": 128, "description": "One action by its env_ id; all of this session without it." } }),
                &[],
            ),
        },
    ]
}

/// SHA-256 of the catalogue as canonical JSON.
pub fn catalogue_digest() -> Digest {
    canonical::digest_of(&catalogue())
}
