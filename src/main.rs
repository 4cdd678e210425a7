//! The binary: one call.

fn main() -> std::process::ExitCode {
    git_boundary::cli::main()
}
