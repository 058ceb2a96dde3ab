//! Runs [`crate::crash`] where the database is killed too.

use leafid_servers::Server;

use crate::crash::goes_on_through_kills;

fn nothing_is_granted_twice<S: Server>(mut server: S) {
    let url = server.fresh("crashes");
    let mut crash = || {
        server.crash();
        server.start_again().expect("it comes back");
    };
    goes_on_through_kills(S::NAME, &url, Some(&mut crash));
}

each!(every nothing_is_granted_twice);
