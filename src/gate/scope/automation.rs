//! Files that machines act on without being asked: an actor who changes one changes what runs next (contract, section 4).
//!
//! The class follows from the path alone, so nothing that an actor writes can lower it.

use std::fmt;
use std::sync::LazyLock;

use super::folding::{self, ANYTHING, DOTS};
use super::wildcard::{Glob, Piece};

/// What kind of machine acts on a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum AutomationClass {
    /// The file that this tool's policy is compiled from.
    Boundary,
    /// Configuration of CI services.
    Ci,
    /// Hooks of git and of hook managers.
    Hooks,
    /// What builds and tasks execute.
    Build,
    /// Dependency manifests and their locks.
    Dependencies,
    /// Attributes, submodules and configuration that git itself reads from the tree.
    Git,
    /// Instructions, permissions and tools of coding agents.
    Agent,
    /// What editors and development containers start.
    Editor,
    /// Configuration that makes compilers, package managers and shells run or fetch something else.
    Toolchain,
}

impl AutomationClass {
    /// Every class, in the order in which they are tried.
    pub const ALL: [AutomationClass; 9] = [
        AutomationClass::Boundary,
        AutomationClass::Ci,
        AutomationClass::Hooks,
        AutomationClass::Agent,
        AutomationClass::Git,
        AutomationClass::Editor,
        AutomationClass::Toolchain,
        AutomationClass::Dependencies,
        AutomationClass::Build,
    ];

    /// The word shown.
    pub fn name(self) -> &'static str {
        match self {
            AutomationClass::Boundary => "boundary",
            AutomationClass::Ci => "ci",
            AutomationClass::Hooks => "hooks",
            AutomationClass::Build => "build",
            AutomationClass::Dependencies => "dependencies",
            AutomationClass::Git => "git",
            AutomationClass::Agent => "agent",
            AutomationClass::Editor => "editor",
            AutomationClass::Toolchain => "toolchain",
        }
    }

    /// What the class is, in words.
    pub fn meaning(self) -> &'static str {
        match self {
            AutomationClass::Boundary => "the file that the policy is compiled from",
            AutomationClass::Ci => "CI configuration",
            AutomationClass::Hooks => "hooks and hook managers",
            AutomationClass::Build => "build scripts and task runners",
            AutomationClass::Dependencies => "dependency manifests and locks",
            AutomationClass::Git => "configuration that git reads from the tree",
            AutomationClass::Agent => "agent configuration",
            AutomationClass::Editor => "editor and development container configuration",
            AutomationClass::Toolchain => "toolchain and package manager configuration",
        }
    }

    /// The paths of this class. `**/` is any depth, `/**` all below a directory, `*` any text within a segment.
    pub fn paths(self) -> &'static [&'static str] {
        match self {
            AutomationClass::Boundary => &["boundary.toml"],
            AutomationClass::Ci => CI,
            AutomationClass::Hooks => HOOKS,
            AutomationClass::Build => BUILD,
            AutomationClass::Dependencies => DEPENDENCIES,
            AutomationClass::Git => GIT,
            AutomationClass::Agent => AGENT,
            AutomationClass::Editor => EDITOR,
            AutomationClass::Toolchain => TOOLCHAIN,
        }
    }
}

impl fmt::Display for AutomationClass {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// The class of the file at `path`, from the top of the tree; `None` for a file that no machine acts on unasked.
///
/// Paths match up to what file systems ignore (see [`folding`]). A file or link at the place of a listed directory counts as well,
/// since it stands for all below; and so does a path with bytes that are no UTF-8, if some text in their place would be listed.
pub fn is_automation(path: &[u8]) -> Option<AutomationClass> {
    automation_entry(path).map(|(class, _)| class)
}

/// Like [`is_automation`], with the entry of [`AutomationClass::paths`] that the path falls under.
pub fn automation_entry(path: &[u8]) -> Option<(AutomationClass, &'static str)> {
    let folded = folding::fold(path);
    let short = folding::short_reading(&folded);
    let readings: Vec<Vec<&[u8]>> =
        std::iter::once(&folded).chain(&short).map(|reading| reading.split(|byte| *byte == b'/').collect()).collect();
    TABLE
        .iter()
        .find(|entry| readings.iter().any(|segments| entry.matches(segments)))
        .map(|entry| (entry.class, entry.text))
}

const CI: &[&str] = &[
    ".github/workflows/**",
    ".github/actions/**",
    ".github/dependabot.y*ml",
    ".github/renovate.json*",
    "renovate.json*",
    ".renovaterc*",
    "**/action.yml",
    "**/action.yaml",
    ".gitea/**",
    ".forgejo/**",
    "**/.gitlab-ci.yml",
    "**/*.gitlab-ci.yml",
    ".gitlab/ci/**",
    ".gitlab-ci/**",
    ".circleci/**",
    "**/azure-pipelines*.y*ml",
    ".azure-pipelines/**",
    ".azuredevops/**",
    "**/Jenkinsfile*",
    "**/*.jenkinsfile",
    ".travis.yml",
    ".buildkite/**",
    ".drone.y*ml",
    ".drone.star",
    ".drone.jsonnet",
    ".woodpecker/**",
    ".woodpecker.y*ml",
    "bitbucket-pipelines.yml",
    "**/appveyor.yml",
    "**/.appveyor.yml",
    ".cirrus.yml",
    ".cirrus.star",
    ".semaphore/**",
    ".teamcity/**",
    ".build.yml",
    ".builds/**",
    "**/cloudbuild.y*ml",
    "**/buildspec*.y*ml",
    "codemagic.yaml",
    ".tekton/**",
    ".ci/**",
    ".config/nextest.toml",
    "netlify.toml",
    "vercel.json",
    "render.yaml",
    "fly.toml",
];

const HOOKS: &[&str] = &[
    ".husky/**",
    ".huskyrc*",
    ".githooks/**",
    ".git-hooks/**",
    ".hooks/**",
    "hooks/**",
    "lefthook*.yml",
    "lefthook*.yaml",
    "lefthook*.toml",
    "lefthook*.json*",
    ".lefthook*.yml",
    ".lefthook*.yaml",
    ".lefthook*.toml",
    ".lefthook*.json*",
    ".config/lefthook*",
    ".lefthook/**",
    ".lefthook-local/**",
    "**/.pre-commit-config.y*ml",
    ".pre-commit-hooks.yaml",
    ".simple-git-hooks.*",
    "simple-git-hooks.*",
    "**/.lintstagedrc*",
    "**/lint-staged.config.*",
    ".overcommit.yml",
    ".overcommit/**",
    "hk.pkl",
    "prek.toml",
];

const BUILD: &[&str] = &[
    "**/build.rs",
    "**/Makefile",
    "**/GNUmakefile",
    "**/Makefile.*",
    "**/*.mk",
    "**/*.mak",
    "**/configure",
    "**/configure.ac",
    "**/configure.in",
    "**/autogen.sh",
    "**/*.m4",
    "**/CMakeLists.txt",
    "**/CMakePresets.json",
    "**/CMakeUserPresets.json",
    "**/*.cmake",
    "**/meson.build",
    "**/meson.options",
    "**/meson_options.txt",
    "**/SConstruct",
    "**/SConscript",
    "**/wscript",
    "**/build.ninja",
    "**/WORKSPACE",
    "**/WORKSPACE.bazel",
    "**/WORKSPACE.bzlmod",
    "**/BUILD",
    "**/BUILD.bazel",
    "**/BUCK",
    "**/*.bzl",
    "**/.bazelrc",
    "**/.buckconfig",
    "**/*.gradle",
    "**/*.gradle.kts",
    "**/gradlew",
    "**/gradlew.bat",
    "**/gradle/wrapper/**",
    "**/mvnw",
    "**/mvnw.cmd",
    "**/.mvn/**",
    "**/build.xml",
    "**/*.sbt",
    "**/build.sc",
    "**/build.mill",
    "**/setup.py",
    "**/noxfile.py",
    "**/tox.ini",
    "**/fabfile.py",
    "**/dodo.py",
    "**/sitecustomize.py",
    "**/usercustomize.py",
    "**/Rakefile",
    "**/*.rake",
    "**/Thorfile",
    "**/Fastfile",
    "**/Dangerfile",
    "**/Guardfile",
    "**/justfile",
    "**/.justfile",
    "**/*.just",
    "**/Taskfile.y*ml",
    "**/Taskfile.dist.y*ml",
    "**/magefile.go",
    "**/magefiles/**",
    "**/.goreleaser.y*ml",
    "**/Earthfile",
    "**/Tiltfile",
    "**/Procfile*",
    "**/Dockerfile",
    "**/Dockerfile.*",
    "**/*.dockerfile",
    "**/Containerfile",
    "**/Containerfile.*",
    "**/docker-compose*.y*ml",
    "**/compose.y*ml",
    "**/compose.*.y*ml",
    "**/docker-bake*.*",
    "**/Vagrantfile",
    "**/skaffold.y*ml",
    "**/gulpfile.*",
    "**/Gruntfile.*",
    "**/Jakefile*",
    "**/webpack*.config.*",
    "**/vite.config.*",
    "**/vitest.config.*",
    "**/rollup.config.*",
    "**/jest.config.*",
    "**/babel.config.*",
    "**/.babelrc*",
    "**/eslint.config.*",
    "**/.eslintrc*",
    "**/prettier.config.*",
    "**/postcss.config.*",
    "**/tailwind.config.*",
    "**/next.config.*",
    "**/nuxt.config.*",
    "**/svelte.config.*",
    "**/astro.config.*",
    "**/turbo.json*",
    "**/nx.json",
    "**/lerna.json",
    "**/*.cake",
    "**/*.targets",
    "**/*.props",
    "**/*.proj",
    "**/build.zig",
    "**/Setup.hs",
    "**/Setup.lhs",
    "**/build.sh",
    "**/build.ps1",
    "**/build.cmd",
    "**/build.bat",
];

const DEPENDENCIES: &[&str] = &[
    "**/Cargo.toml",
    "**/Cargo.lock",
    "**/package.json",
    "**/package-lock.json",
    "**/npm-shrinkwrap.json",
    "**/yarn.lock",
    "**/pnpm-lock.yaml",
    "**/pnpm-workspace.yaml",
    "**/bun.lock*",
    "**/deno.json*",
    "**/deno.lock",
    "**/bower.json",
    "**/requirements*.txt",
    "**/requirements*.in",
    "**/requirements/*.txt",
    "**/requirements/*.in",
    "**/constraints*.txt",
    "**/pyproject.toml",
    "**/setup.cfg",
    "**/Pipfile",
    "**/Pipfile.lock",
    "**/poetry.lock",
    "**/pdm.lock",
    "**/uv.lock",
    "**/pylock*.toml",
    "**/environment.y*ml",
    "**/conda-lock.yml",
    "**/pixi.toml",
    "**/pixi.lock",
    "**/go.mod",
    "**/go.sum",
    "**/go.work",
    "**/go.work.sum",
    "**/vendor/modules.txt",
    "**/Gemfile",
    "**/Gemfile.lock",
    "**/gems.rb",
    "**/gems.locked",
    "**/*.gemspec",
    "**/pom.xml",
    "**/ivy.xml",
    "**/gradle.lockfile",
    "**/libs.versions.toml",
    "**/verification-metadata.xml",
    "**/composer.json",
    "**/composer.lock",
    "**/*.csproj",
    "**/*.fsproj",
    "**/*.vbproj",
    "**/*.vcxproj",
    "**/*.sln",
    "**/*.slnx",
    "**/packages.config",
    "**/packages.lock.json",
    "**/paket.*",
    "**/Package.swift",
    "**/Package.resolved",
    "**/Podfile",
    "**/Podfile.lock",
    "**/*.podspec",
    "**/Cartfile*",
    "**/pubspec.yaml",
    "**/pubspec.lock",
    "**/mix.exs",
    "**/mix.lock",
    "**/rebar.config",
    "**/rebar.lock",
    "**/*.cabal",
    "**/cabal.project*",
    "**/stack.yaml*",
    "**/flake.nix",
    "**/flake.lock",
    "**/default.nix",
    "**/shell.nix",
    "**/conanfile.*",
    "**/conan.lock",
    "**/vcpkg.json",
    "**/vcpkg-configuration.json",
    "**/MODULE.bazel",
    "**/MODULE.bazel.lock",
    "**/build.zig.zon",
    "**/dub.json",
    "**/dub.sdl",
    "**/Project.toml",
    "**/Manifest.toml",
    "**/renv.lock",
    "**/cpanfile*",
    "**/.terraform.lock.hcl",
    "**/Chart.lock",
];

// No tree may hold `.git` itself, but not everything that reads trees holds to that.
const GIT: &[&str] = &["**/.gitattributes", "**/.gitmodules", "**/.lfsconfig", "**/.gitconfig", "**/.git/**"];

const AGENT: &[&str] = &[
    "**/.claude/**",
    "**/.claude-plugin/**",
    "**/.claude.json",
    "**/CLAUDE.md",
    "**/CLAUDE.local.md",
    "**/AGENTS.md",
    "**/AGENTS.override.md",
    "**/AGENT.md",
    "**/.agent/**",
    "**/.agents/**",
    "**/SKILL.md",
    "**/.cursor/**",
    "**/.cursorrules",
    "**/.codex/**",
    "**/.mcp.json",
    "**/mcp.json",
    "**/.github/copilot-instructions.md",
    "**/.github/copilot/**",
    "**/.github/instructions/**",
    "**/.github/prompts/**",
    "**/.github/agents/**",
    "**/.github/chatmodes/**",
    "**/.aider*",
    "**/.aider*/**",
    "**/GEMINI.md",
    "**/.gemini/**",
    "**/.windsurf/**",
    "**/.windsurfrules",
    "**/.clinerules",
    "**/.clinerules/**",
    "**/.cline/**",
    "**/.roo/**",
    "**/.roorules*",
    "**/.roomodes",
    "**/.kiro/**",
    "**/.junie/**",
    "**/.continue/**",
    "**/.continuerules",
    "**/.augment/**",
    "**/.augment-guidelines",
    "**/.goosehints",
    "**/.goose/**",
    "**/.opencode/**",
    "**/opencode.json*",
    "**/.qwen/**",
    "**/QWEN.md",
    "**/.trae/**",
    "**/.crush/**",
    "**/.crush.json",
    "**/crush.json",
    "**/CRUSH.md",
    "**/WARP.md",
    "**/.factory/**",
    "**/.amp/**",
    "**/.openhands/**",
    "**/.amazonq/**",
    "**/.rules",
];

const EDITOR: &[&str] = &[
    "**/.vscode/**",
    "**/*.code-workspace",
    "**/.devcontainer/**",
    "**/.devcontainer.json",
    "**/.idea/**",
    "**/.run/**",
    "**/.fleet/**",
    "**/.zed/**",
    "**/.vs/**",
    "**/.dir-locals.el",
    "**/.dir-locals-2.el",
    "**/.exrc",
    "**/.nvimrc",
    "**/.nvim.lua",
    "**/.vimrc",
    "**/*.sublime-project",
    ".gitpod.y*ml",
    ".gitpod.Dockerfile",
    ".idx/**",
    ".replit",
    "replit.nix",
    "devbox.json",
    "devbox.lock",
    "**/devenv.nix",
    "**/devenv.yaml",
];

const TOOLCHAIN: &[&str] = &[
    "**/.cargo/config",
    "**/.cargo/config.toml",
    "**/rust-toolchain",
    "**/rust-toolchain.toml",
    "**/.npmrc",
    "**/.yarnrc*",
    "**/.yarn/**",
    "**/.pnp.*",
    "**/.pnpmfile.*",
    "**/pnpmfile.*",
    "**/bunfig.toml",
    "**/.nvmrc",
    "**/.node-version",
    "**/.python-version",
    "**/.ruby-version",
    "**/.java-version",
    "**/.go-version",
    "**/.bazelversion",
    "**/.sdkmanrc",
    "**/.tool-versions",
    "**/mise*.toml",
    "**/.mise*.toml",
    "**/.mise/**",
    "**/.config/mise/**",
    "**/.config/mise.toml",
    "**/.envrc",
    "**/.direnvrc",
    "**/pip.conf",
    "**/pip.ini",
    "**/uv.toml",
    "**/.pypirc",
    "**/.condarc",
    "**/.bundle/config",
    "**/.gemrc",
    "**/gradle.properties",
    "**/gradle-daemon-jvm.properties",
    "**/nuget.config",
    "**/global.json",
    "**/dotnet-tools.json",
];

static TABLE: LazyLock<Vec<Entry>> = LazyLock::new(|| {
    let entries = |class: AutomationClass| class.paths().iter().map(move |text| Entry::read(class, text));
    AutomationClass::ALL.into_iter().flat_map(entries).collect()
});

struct Entry {
    class: AutomationClass,
    text: &'static str,
    any_depth: bool,
    /// Whether all below counts.
    directory: bool,
    segments: Vec<Name>,
}

enum Name {
    Plain(Vec<u8>),
    Pattern(Glob),
}

impl Entry {
    fn read(class: AutomationClass, text: &'static str) -> Self {
        let (any_depth, rest) = text.strip_prefix("**/").map_or((false, text), |rest| (true, rest));
        let (directory, rest) = rest.strip_suffix("/**").map_or((false, rest), |rest| (true, rest));
        Entry { class, text, any_depth, directory, segments: rest.split('/').map(Name::read).collect() }
    }

    fn matches(&self, path: &[&[u8]]) -> bool {
        let starts = if self.any_depth { path.len() } else { 1 };
        (0..starts).any(|start| {
            let tail = &path[start..];
            // A path that ends within the entry is a file or link where a directory of the entry would be.
            let fits = tail.len() <= self.segments.len() || self.directory;
            fits && self.segments.iter().zip(tail).all(|(name, segment)| name.matches(segment))
        })
    }
}

impl Name {
    fn read(text: &str) -> Self {
        if !text.contains('*') {
            return Name::Plain(folding::fold(text.as_bytes()));
        }
        let mut pieces = Vec::new();
        for (place, part) in text.split('*').enumerate() {
            if place > 0 {
                pieces.push(Piece::Run);
            }
            if !part.is_empty() {
                pieces.push(Piece::Text(part.to_owned()));
            }
        }
        Name::Pattern(Glob::over_fold(&pieces, false))
    }

    fn matches(&self, segment: &[u8]) -> bool {
        match self {
            Name::Plain(name) if segment.iter().any(|byte| matches!(*byte, ANYTHING | DOTS)) => {
                let text = String::from_utf8_lossy(name).into_owned();
                Glob::over_fold(&[Piece::Text(text)], false).matches(segment)
            }
            Name::Plain(name) => name == segment,
            Name::Pattern(glob) => glob.matches(segment),
        }
    }
}
