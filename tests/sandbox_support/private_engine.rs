//! A Docker engine of the tests' own, to be killed, filled up and listened to from elsewhere. The
//! machine's is not touched. Needs root and `dockerd`, like the installation of the machine's.

use std::fs::{self, File};
use std::net::{Shutdown, TcpListener, TcpStream};
use std::os::fd::AsFd as _;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use mce::config::Settings;
use rustix::thread::{LinkNameSpaceType, move_into_link_name_space};

use super::{docker, engine, settings, settings_with};

/// An engine below a folder of its own. Dropping it ends all that runs there.
pub struct PrivateEngine {
    folder: tempfile::TempDir,
    options: Vec<String>,
    daemon: Option<Child>,
}

impl PrivateEngine {
    /// Starts an engine that holds the sandbox's image.
    pub fn start() -> Self {
        Self::start_with(&[], None)
    }

    /// The like with further options of `dockerd`, and with this many bytes of disk.
    pub fn start_with(options: &[&str], disk: Option<u64>) -> Self {
        engine();
        let folder = tempfile::Builder::new().prefix("mce-engine-").tempdir();
        let mut this = Self {
            folder: folder.unwrap(),
            options: options.iter().map(|&option| option.to_owned()).collect(),
            daemon: None,
        };
        fs::create_dir(this.data()).unwrap();
        fs::write(this.path("daemon.json"), "{}").unwrap();
        if let Some(bytes) = disk {
            let size = format!("size={bytes}");
            let mount = ["-t", "tmpfs", "-o", &size, "tmpfs"];
            let mounted = Command::new("mount").args(mount).arg(this.data()).status();
            assert!(mounted.unwrap().success());
        }
        this.run();
        this.load_image();
        this
    }

    pub fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// Where it keeps images and containers.
    pub fn data(&self) -> PathBuf {
        self.path("data")
    }

    pub fn address(&self) -> String {
        format!("unix://{}", self.path("docker.sock").display())
    }

    pub fn settings(&self) -> Settings {
        settings_with(&[
            ("MCE_DOCKER_HOST", &self.address()),
            ("MCE_SANDBOX_MODE", "cold"),
        ])
    }

    /// Docker's client on this engine.
    pub fn docker(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new("docker");
        command
            .args(arguments)
            .env_remove("DOCKER_TLS_VERIFY")
            .env("DOCKER_HOST", self.address());
        command
    }

    /// Starts the daemon and waits until it answers.
    pub fn run(&mut self) {
        let log = File::create(self.path("log")).unwrap();
        let path = |name: &str| self.path(name).display().to_string();
        // In a network of its own: an engine without a bridge removes that of the machine's engine.
        let in_network = "ip link set lo up && exec dockerd \"$@\"";
        let daemon = Command::new("unshare")
            .args(["--net", "sh", "-c", in_network, "dockerd"])
            .args(["--host", &self.address()])
            .args(["--data-root", &path("data"), "--exec-root", &path("exec")])
            .args([
                "--pidfile",
                &path("pid"),
                "--config-file",
                &path("daemon.json"),
            ])
            .args(["--bridge=none", "--iptables=false", "--ip6tables=false"])
            .args(&self.options)
            .stdin(Stdio::null())
            .stdout(log.try_clone().unwrap())
            .stderr(log)
            .spawn()
            .unwrap();
        self.daemon = Some(daemon);
        let begun = Instant::now();
        loop {
            let answer = self.docker(&["version"]).output().unwrap();
            if answer.status.success() {
                break;
            }
            let daemon = self.daemon.as_mut().unwrap();
            let ended = daemon.try_wait().unwrap();
            assert!(
                ended.is_none() && begun.elapsed() < Duration::from_mins(1),
                "{}",
                fs::read_to_string(self.path("log")).unwrap()
            );
            std::thread::sleep(Duration::from_millis(100));
        }
    }

    /// Kills the daemon as a crash would; its containers go on running.
    pub fn kill(&mut self) {
        let Some(mut daemon) = self.daemon.take() else {
            return;
        };
        daemon.kill().unwrap();
        daemon.wait().unwrap();
        // Its containerd dies with it, but may stay as a zombie where nobody reaps it. The next
        // daemon would take that for a living one.
        let file = self.path("exec/containerd/containerd.pid");
        let Ok(process) = fs::read_to_string(&file) else {
            return;
        };
        let status = format!("/proc/{}/status", process.trim());
        let lives = || {
            let status = fs::read_to_string(&status).unwrap_or_default();
            let state = status.lines().find(|line| line.starts_with("State:"));
            state.is_some_and(|state| !state.contains('Z'))
        };
        let begun = Instant::now();
        while lives() && begun.elapsed() < Duration::from_secs(5) {
            std::thread::sleep(Duration::from_millis(20));
        }
        if !lives() {
            let _ = fs::remove_file(file);
        }
    }

    /// Makes a port of loopback lead to the same port in the engine's network. Lasts as long as the
    /// process of the test.
    pub fn forward(&self, port: u16) {
        let daemon = self.daemon.as_ref().unwrap().id();
        let network = File::open(format!("/proc/{daemon}/ns/net")).unwrap();
        let listener = TcpListener::bind(("127.0.0.1", port)).unwrap();
        std::thread::spawn(move || {
            let (here, there) = (listener, network);
            // Of this thread only; what listens already stays where it is.
            let kind = Some(LinkNameSpaceType::Network);
            move_into_link_name_space(there.as_fd(), kind).unwrap();
            for client in here.incoming() {
                let client = client.unwrap();
                let Ok(engine) = TcpStream::connect(("127.0.0.1", port)) else {
                    continue;
                };
                for (from, to) in [(&client, &engine), (&engine, &client)] {
                    let (mut from, mut to) = (from.try_clone().unwrap(), to.try_clone().unwrap());
                    std::thread::spawn(move || {
                        let _ = std::io::copy(&mut from, &mut to);
                        let _ = to.shutdown(Shutdown::Write);
                    });
                }
            }
        });
    }

    fn load_image(&self) {
        let image = settings().docker_image;
        let mut save = docker(&["save", &image])
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let loaded = self
            .docker(&["load", "--quiet"])
            .stdin(save.stdout.take().unwrap())
            .stdout(Stdio::null())
            .status();
        assert!(save.wait().unwrap().success() && loaded.unwrap().success());
    }

    /// The processes that hold the folder's name: the daemon's own and those it left behind.
    fn processes(&self) -> Vec<u32> {
        let folder = self.folder.path().to_str().unwrap().as_bytes();
        let is_of_folder = |process: &Path| {
            fs::read(process.join("cmdline"))
                .is_ok_and(|line| line.windows(folder.len()).any(|part| part == folder))
        };
        let entries = fs::read_dir("/proc").unwrap().flatten();
        entries
            .filter(|entry| is_of_folder(&entry.path()))
            .filter_map(|entry| entry.file_name().to_str()?.parse().ok())
            .collect()
    }
}

impl Drop for PrivateEngine {
    fn drop(&mut self) {
        let signal = |name: &str, process: u32| {
            let _ = Command::new("kill")
                .args([name, &process.to_string()])
                .stderr(Stdio::null())
                .status();
        };
        if let Some(daemon) = &mut self.daemon {
            signal("-TERM", daemon.id());
            let begun = Instant::now();
            while begun.elapsed() < Duration::from_secs(20) && daemon.try_wait().ok() == Some(None)
            {
                std::thread::sleep(Duration::from_millis(50));
            }
            let _ = daemon.kill();
            let _ = daemon.wait();
        }
        // What a daemon that was killed left behind: containerd, and its containers' keepers.
        for process in self.processes() {
            signal("-KILL", process);
        }
        let mounts = fs::read_to_string("/proc/mounts").unwrap_or_default();
        let folder = self.folder.path().to_str().unwrap_or_default();
        let places = mounts.lines().filter_map(|line| line.split(' ').nth(1));
        let own: Vec<&str> = places.filter(|place| place.starts_with(folder)).collect();
        for place in own.iter().rev() {
            let _ = Command::new("umount").args(["--lazy", place]).status();
        }
    }
}
