//! in-toto's own Python library reads our statements.

use crate::support::World;

/// Reads envelopes from standard input, and validates each statement in them.
const VALIDATE: &str = r#"
import base64, json, sys
from google.protobuf import json_format
import in_toto_attestation.v1.statement_pb2 as pb
from in_toto_attestation.v1.statement import Statement

for line in sys.stdin:
    envelope = json.loads(line)
    if envelope["payloadType"] != "application/vnd.in-toto+json":
        continue
    payload = base64.b64decode(envelope["payload"], validate=True)
    statement = Statement.copy_from_pb(json_format.Parse(payload, pb.Statement()))
    statement.validate()
    print(statement.pb.predicate_type)
"#;

#[test]
fn the_python_library_validates_our_statements_and_the_summary() {
    let world = World::new();
    let work = &world.work;
    let python = |program: &str, stdin: &[u8]| work.home.run(&work.dir, "python3", &["-c", program], stdin);
    if !work.sh("command -v python3").status.eq(&0) || python("import in_toto_attestation", b"").status != 0 {
        eprintln!(
            "python3 with in_toto_attestation is not here: in-toto's own library was not asked (pip install in-toto-attestation)"
        );
        return;
    }
    work.proven_fix();
    let mut lines = work.boundary("export HEAD --format in-toto").ok().stdout;
    lines += &work.boundary("export main..agent/fix --ref main --format slsa-vsa").ok().stdout;
    let read = python(VALIDATE, lines.as_bytes()).ok().stdout;
    for kind in ["handoff", "context-receipt", "evidence-envelope", "diet-commitment"] {
        assert!(
            read.contains(&format!("urn:git-boundary:{kind}:v1")),
            "a {kind} is a statement to the library: {read}"
        );
    }
    assert!(read.contains("https://slsa.dev/verification_summary/v1"), "so is the summary: {read}");
}
