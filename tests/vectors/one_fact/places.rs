//! Places in a JSON value, and what can be done at each: left out, or put to another value that its type might take.

use serde_json::Value;

/// One place, as a JSON pointer.
pub type Place = String;

/// Every member of an object and every element of a list, the outermost first.
pub fn members(value: &Value) -> Vec<Place> {
    let mut found = Vec::new();
    walk(value, String::new(), &mut |at, _| found.push(at));
    found
}

/// Every leaf with each of the values that might stand there instead.
pub fn others(value: &Value) -> Vec<(Place, Value)> {
    let mut found = Vec::new();
    walk(value, String::new(), &mut |at, inner| found.extend(instead(inner).into_iter().map(|it| (at.clone(), it))));
    found
}

fn walk(value: &Value, at: Place, visit: &mut dyn FnMut(Place, &Value)) {
    let mut inner = |name: &str, inner: &Value| {
        let at = format!("{at}/{}", name.replace('~', "~0").replace('/', "~1"));
        visit(at.clone(), inner);
        walk(inner, at, visit);
    };
    match value {
        Value::Object(map) => map.iter().for_each(|(name, it)| inner(name, it)),
        Value::Array(list) => list.iter().enumerate().for_each(|(place, it)| inner(&place.to_string(), it)),
        _ => {}
    }
}

/// Values of the same type; an empty list and an empty object hold nothing that could be otherwise, and are given something.
fn instead(leaf: &Value) -> Vec<Value> {
    match leaf {
        Value::Bool(it) => vec![Value::Bool(!it)],
        Value::Number(it) => vec![Value::from(it.as_i64().unwrap_or_default() + 1)],
        Value::String(text) => texts(text),
        _ => Vec::new(),
    }
}

fn texts(text: &str) -> Vec<Value> {
    let last = if text.ends_with('0') { "1" } else { "0" };
    let mut all = vec![format!("{text}x"), format!("{}{last}", &text[..text.len().saturating_sub(1)])];
    if text.ends_with('Z') {
        all.extend(["1970-01-01T00:00:00Z", "2099-01-01T00:00:00Z"].map(str::to_owned));
    }
    if text.len() < 10 && text.bytes().all(|byte| byte.is_ascii_lowercase()) {
        all.extend(["symlink", "verify", "tracking", "deny", "completion", "remote"].map(str::to_owned));
    }
    all.into_iter().filter(|other| other != text).map(Value::from).collect()
}

/// Takes a member or an element away.
pub fn leave_out(value: &mut Value, at: &str) {
    let (parent, name) = at.rsplit_once('/').expect("a place is in something");
    match value.pointer_mut(parent) {
        Some(Value::Object(map)) => drop(map.remove(&name.replace("~1", "/").replace("~0", "~"))),
        Some(Value::Array(list)) => drop(list.remove(name.parse().expect("an index"))),
        _ => panic!("{at}: nothing is there"),
    }
}
