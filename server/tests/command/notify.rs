//! Notifications to a service manager, and its requests by signal.

use std::os::unix::net::UnixDatagram;

use crate::support::{Home, LIMIT, Serving};

#[test]
fn a_service_manager_hears_of_the_start_of_its_life_and_of_the_stop() {
    let home = Home::new();
    let place = home.path().join("notify");
    let manager = UnixDatagram::bind(&place).unwrap();
    manager.set_read_timeout(Some(LIMIT)).unwrap();
    let hear = || {
        let mut line = [0; 256];
        let read = manager.recv(&mut line).unwrap();
        String::from_utf8(line[..read].to_vec()).unwrap()
    };
    let mut command = home.command(&[]);
    command.env("NOTIFY_SOCKET", &place).env("WATCHDOG_USEC", "100000");
    let mut serving = Serving::spawn(&mut command);
    assert_eq!(hear(), "READY=1");
    assert_eq!(serving.get("/readyz").0, 200);
    assert_eq!([hear(), hear(), hear()], ["WATCHDOG=1"; 3]);
    assert_eq!(serving.end("-TERM").0, Some(0));
    let last = std::iter::repeat_with(hear).find(|line| line != "WATCHDOG=1");
    assert_eq!(last.as_deref(), Some("STOPPING=1"));
}

#[test]
fn a_manager_that_is_gone_stops_no_server() {
    let home = Home::new();
    let nowhere = home.at("nowhere");
    let mut serving = Serving::spawn(home.command(&[]).env("NOTIFY_SOCKET", nowhere));
    serving.logs(&["WARN", "NOTIFY_SOCKET", "`READY=1` cannot be sent"]);
    assert_eq!(serving.get("/readyz").0, 200);
    assert_eq!(serving.end("-TERM").0, Some(0));
}
