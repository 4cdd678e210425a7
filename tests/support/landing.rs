//! A server that keeps a list of what became of the branches that agents push.

use std::fs;

use super::world::World;

impl World {
    /// Lets the server keep the list.
    pub fn list_landings(&self) {
        let hook = self.server.dir.join("hooks/post-receive");
        fs::create_dir_all(hook.parent().expect("it lies in a directory")).expect("the server is writable");
        fs::write(&hook, "#!/bin/sh\ngrep ' refs/heads/agent/' >>landed || :\n").expect("the server is writable");
        self.work.sh(&format!("chmod +x {}", hook.display())).ok();
    }

    /// How often such a branch moved there.
    pub fn landings(&self) -> usize {
        fs::read_to_string(self.server.dir.join("landed")).map_or(0, |text| text.lines().count())
    }
}
