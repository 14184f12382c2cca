//! Packages added to the image, by a real engine. No package index is needed: wheels are made here.

mod sandbox_support;

use std::fs;

use mce::config::Settings;
use mce::sandbox::docker::image::{PackageError, Request};
use mce::sandbox::docker::{DockerSandbox, Error};
use sandbox_support::wheels::Wheel;
use sandbox_support::workshop::{Workshop, docker, id_of, labels_of, names, variant};
use sandbox_support::{place_with, value};
use serde_json::{Value, json};

/// What the wheels of [`add_wheels`] are asked for as.
const ASKED: &str = "mce-alpha[more]==1.0";

/// A package with requirements of every kind, and what they need.
fn add_wheels(workshop: &Workshop) {
    let alpha = Wheel::new("mce-alpha", "1.0")
        .header("Requires-Dist: Mce.Beta>=2,<3")
        .header("Requires-Dist: mce-gamma; extra == 'more'")
        .header("Requires-Dist: mce-never; python_version < '3'")
        .header("Requires-Dist: typing-extensions>=4")
        .header("Provides-Extra: more")
        .file("mce_alpha-1.0.data/purelib/mce_alpha/data.py", "X = 7\n")
        .file("mce_alpha-1.0.data/scripts/alpha", "#!python\n")
        .file("mce_alpha.pth", "import os\n");
    workshop.add(&alpha);
    for (name, version) in [
        ("mce-beta", "2.1"),
        ("mce-beta", "2.2"),
        ("mce-beta", "3.0"),
    ] {
        workshop.add(&Wheel::new(name, version));
    }
    workshop.add(&Wheel::new("mce-gamma", "0.1").file("_mce_private.py", "raise OSError\n"));
}

#[tokio::test(flavor = "multi_thread")]
async fn added_packages_are_locked_and_installed() {
    let workshop = Workshop::new("packages");
    add_wheels(&workshop);
    let output = workshop
        .command(
            ASKED,
            &[
                "sandbox",
                "build",
                "--network",
                "none",
                "--base",
                &workshop.base,
                "--wheels",
                "wheels",
            ],
        )
        .output()
        .unwrap();
    let stdout = String::from_utf8_lossy(&output.stdout).into_owned();
    let stderr = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(output.status.success(), "{stdout}{stderr}");
    let lines: Vec<&str> = stdout.lines().collect();
    let id = id_of(&workshop.image).unwrap();
    assert_eq!(lines[0], format!("{} {id}", workshop.image));
    assert!(
        lines.contains(&"added     mce-alpha 1.0, mce-beta 2.2, mce-gamma 0.1"),
        "{stdout}"
    );
    assert_eq!(
        lines.last(),
        Some(&"lock      ./sandbox.lock (written; commit it)")
    );
    // A line for every step, since stderr is no terminal.
    for step in [
        "checking the image",
        "reading the wheels",
        "adding the packages",
    ] {
        assert!(stderr.lines().any(|line| line == step), "{stderr}");
    }
    assert!(
        stderr.contains("does not know `mce_alpha`, `mce_beta`, `mce_gamma`, so code cannot")
            && stderr.contains("[modules.mce_beta]"),
        "{stderr}"
    );
    let lock = workshop.lock();
    let pins: Vec<&str> = lock.lines().filter(|line| line.contains("==")).collect();
    assert_eq!(
        pins,
        ["mce-alpha==1.0 \\", "mce-beta==2.2 \\", "mce-gamma==0.1 \\"]
    );
    let labels = labels_of(&workshop.image);
    assert_eq!(labels["mce.packages"], ASKED);

    let place = place_with(&workshop.settings(ASKED)).await;
    let code = "
import mce_alpha.data, mce_beta, os, sys
compiled = [os.path.exists(m.__cached__) for m in (mce_alpha, mce_beta)]
files = sorted(os.listdir('/opt/mce/packages'))
[mce_alpha.VERSION, mce_beta.VERSION, mce_alpha.data.X, compiled, files, sys.path[-1]]";
    let outcome = place.run(code).await;
    let found = value(&outcome);
    assert_eq!(found[0], "1.0");
    assert_eq!(found[1], "2.2");
    assert_eq!(found[2], 7);
    assert_eq!(found[3], json!([true, true]));
    assert!(!found[4].to_string().contains(".pth"), "{found}");
    assert!(!found[4].to_string().contains("\"bin\""), "{found}");
    place.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn what_was_added_is_told_and_another_image_is_not_used() {
    let workshop = Workshop::new("status");
    add_wheels(&workshop);
    workshop.build(ASKED).await.unwrap();
    let status = workshop
        .command(ASKED, &["sandbox", "status", "--format", "json"])
        .output()
        .unwrap();
    let told: Value = serde_json::from_slice(&status.stdout).unwrap();
    let told = told["packages"].as_array().unwrap();
    let alpha = told.iter().find(|it| it["name"] == "mce-alpha").unwrap();
    assert_eq!(
        alpha,
        &json!({"name": "mce-alpha", "version": "1.0", "modules": ["mce_alpha"], "added": true})
    );
    assert!(String::from_utf8_lossy(&status.stderr).contains("unguarded"));

    // With a policy that knows them nothing is unguarded.
    fs::write(
        workshop.path("guard.toml"),
        "extends = \"built-in\"\n[modules.mce_alpha]\nnames = [\"VERSION\"]\n\
         [modules.\"mce_beta.part\"]\nnames = [\"a\"]\n[modules.mce_gamma]\nnames = [\"b\"]\n",
    )
    .unwrap();
    let status = workshop
        .command(ASKED, &["sandbox", "status"])
        .env("MCE_GUARD_POLICY", "guard.toml")
        .output()
        .unwrap();
    let stdout = String::from_utf8_lossy(&status.stdout).into_owned();
    assert!(status.status.success(), "{status:?}");
    assert!(
        stdout.contains("\nadded     mce-alpha 1.0, mce-beta 2.2"),
        "{stdout}"
    );
    assert!(!String::from_utf8_lossy(&status.stderr).contains("unguarded"));

    // An image without what the settings ask for is not used.
    let connect = |settings: Settings| {
        let state = workshop.path("state");
        async move { DockerSandbox::connect(&settings, &state).await.unwrap_err() }
    };
    let error = connect(workshop.settings("mce-alpha==1.0 mce-delta==1")).await;
    let text = error.to_string();
    assert!(matches!(error, Error::OtherPackages { .. }), "{text}");
    assert!(
        text.contains("`mce-alpha==1.0 mce-delta==1`; it was built with `mce-alpha[more]==1.0`")
            && text.contains("mce sandbox build"),
        "{text}"
    );
    fs::write(
        workshop.path("sandbox.lock"),
        workshop.lock().replace("2.2", "2.1"),
    )
    .unwrap();
    let text = connect(workshop.settings(ASKED)).await.to_string();
    assert!(text.contains("which has changed since"), "{text}");
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_locked_is_installed_and_nothing_else() {
    let workshop = Workshop::new("lock");
    workshop.add(&Wheel::new("mce-alpha", "1").header("Requires-Dist: mce-beta"));
    workshop.add(&Wheel::new("mce-beta", "1"));
    assert!(workshop.build("mce-alpha==1").await.unwrap().lock_written);
    let lock = workshop.lock();

    // A newer one is there now; the lock counts.
    workshop.add(&Wheel::new("mce-beta", "2"));
    let built = workshop.build("mce-alpha==1").await.unwrap();
    assert_eq!(
        names(&built, true),
        ["mce-alpha==1 mce_alpha", "mce-beta==1 mce_beta"]
    );
    assert!(!built.lock_written);
    assert_eq!(workshop.lock(), lock);
    docker(&["rmi", "--force", "--no-prune", &workshop.image]);

    // Another file of the same name.
    let file = workshop.add(&Wheel::new("mce-beta", "1").file("mce_beta/new.py", ""));
    let error = workshop.refused("mce-alpha==1").await;
    let text = error.to_string();
    assert!(matches!(error, PackageError::Hash { .. }), "{text}");
    assert!(
        text.contains(&file) && text.contains("--update-lock"),
        "{text}"
    );

    // Other packages than the lock's.
    workshop.add(&Wheel::new("mce-alpha", "2"));
    for (asked, difference) in [
        (
            "mce-alpha==2",
            "`MCE_SANDBOX_PACKAGES` asks for `mce-alpha==2`, and the file has `mce-alpha==1`",
        ),
        (
            "mce-alpha==1 mce-delta==3",
            "`MCE_SANDBOX_PACKAGES` asks for `mce-delta==3`, and the file has no `mce-delta`",
        ),
    ] {
        fs::remove_file(workshop.path("wheels/mce_beta-1-py3-none-any.whl")).unwrap_or_default();
        workshop.add(&Wheel::new("mce-beta", "1"));
        let text = workshop.refused(asked).await.to_string();
        assert!(text.contains(difference), "{text}");
    }
    let text = workshop.refused("mce-beta==1").await.to_string();
    assert!(
        text.contains("has `mce-alpha==1`, which nothing asks for"),
        "{text}"
    );
    fs::write(workshop.path("sandbox.lock"), "mce-beta>=1\n").unwrap();
    let text = workshop.refused("mce-beta==1").await.to_string();
    assert!(text.contains("line 1: expected `name==version"), "{text}");

    let update = Request {
        update_lock: true,
        ..workshop.request()
    };
    let built = workshop.build_as("mce-alpha==2", &update).await.0.unwrap();
    assert_eq!(names(&built, true), ["mce-alpha==2 mce_alpha"]);
    assert!(workshop.lock().contains("mce-alpha==2") && !workshop.lock().contains("beta"));
}

#[tokio::test(flavor = "multi_thread")]
async fn hostile_and_unfit_wheels_are_refused() {
    let workshop = Workshop::new("hostile");
    let wheel = || Wheel::new("evil", "1");
    let cases: Vec<(Wheel, &str)> = vec![
        (
            wheel().file("../../etc/cron.d/x", "x"),
            "leads out of its folder",
        ),
        (wheel().file("/etc/passwd", "x"), "leads out of its folder"),
        (
            wheel().file("evil/..\\..\\x.py", "x"),
            "leads out of its folder",
        ),
        (
            wheel().file("evil-1.data/purelib/../../x.py", "x"),
            "leads out of its folder",
        ),
        (
            wheel().link("evil/link", "/etc/passwd"),
            "is a link or device",
        ),
        (wheel().forged("evil/__init__.py"), "does not have the hash"),
        (
            wheel().unlisted("evil/__init__.py"),
            "is not on its `RECORD`",
        ),
        (
            wheel().tag("cp313-cp313-win_amd64"),
            "no wheel of `evil==1` fits the image, which has Python 3.13",
        ),
        (
            wheel().tag("cp312-cp312-manylinux2014_x86_64"),
            "fits the image",
        ),
        (
            wheel().file("json/__init__.py", ""),
            "its module `json` has the name of one of the standard library",
        ),
        (
            wheel().file("httpx.py", ""),
            "its module `httpx` has the name of one that the image has already",
        ),
        (
            wheel().file("evil-1.data/platlib/pydantic/extra.py", ""),
            "its module `pydantic` has the name of one that the image has",
        ),
        (
            wheel().file("sitecustomize.py", ""),
            "`sitecustomize` has the name of one that Python or MCE imports",
        ),
        (
            wheel().file("mce_runtime.py", ""),
            "`mce_runtime` has the name",
        ),
        (
            wheel().header("Requires-Python: <3.9"),
            "it needs Python <3.9, and the image has 3.13",
        ),
        (
            wheel().header("Requires-Dist: httpx>=1"),
            "`evil` needs `httpx>=1`, but the image has `httpx==0.28.1`, which no added package",
        ),
        (
            wheel().header("Requires-Dist: other"),
            "there is no wheel of `other` (`evil` needs it)",
        ),
        (
            wheel().header("Requires-Dist: other @ https://example.com/other.whl"),
            "nothing is installed from one",
        ),
        (
            wheel().header("Version: 2"),
            "by its metadata it is `evil==2`",
        ),
        (
            wheel().file("evil/__init__.py/x.py", ""),
            "both a file and a folder",
        ),
    ];
    for (wheel, reason) in cases {
        fs::remove_dir_all(workshop.path("wheels")).unwrap();
        fs::create_dir(workshop.path("wheels")).unwrap();
        workshop.add(&wheel);
        let text = workshop.refused("evil==1").await.to_string();
        assert!(text.contains(reason), "{reason}: {text}");
    }
    // Source only, no archive at all, and a version that is not there.
    fs::remove_dir_all(workshop.path("wheels")).unwrap();
    fs::create_dir(workshop.path("wheels")).unwrap();
    fs::write(workshop.path("wheels/evil-1.tar.gz"), "x").unwrap();
    let text = workshop.refused("evil==1").await.to_string();
    assert!(
        text.contains("is there as source only (`evil-1.tar.gz`)"),
        "{text}"
    );
    fs::write(workshop.path("wheels/evil-1-py3-none-any.whl"), "x").unwrap();
    let text = workshop.refused("evil==1").await.to_string();
    assert!(text.contains("it is no readable zip archive"), "{text}");
    let text = workshop.refused("httpx==0.1").await.to_string();
    assert!(text.contains("the image has `httpx==0.28.1`"), "{text}");
    assert!(!workshop.path("sandbox.lock").exists());
}

#[tokio::test(flavor = "multi_thread")]
async fn a_module_that_does_not_import_is_a_warning() {
    let workshop = Workshop::new("import");
    workshop.add(&Wheel::new("mce-broken", "1").file("mce_bad.py", "import mce_missing\n"));
    let built = workshop.build("mce-broken==1").await.unwrap();
    assert_eq!(
        built.warnings,
        [
            "`mce_bad` cannot be imported in the image: ModuleNotFoundError: No module named \
             'mce_missing'"
        ]
    );
}

/// Plays pip: takes what it is asked for from a folder of the image.
const PIP: &str = "\
import pathlib, shutil, sys
arguments = sys.argv[1:]
print('Collecting', *arguments, flush=True)
for option in ('--constraint', '--requirement'):
    if option in arguments:
        print(pathlib.Path(arguments[arguments.index(option) + 1]).read_text(), flush=True)
if '--fail' in pathlib.Path('/fake/mode').read_text():
    sys.exit('ERROR: no index')
for wheel in pathlib.Path('/fake').glob('*.whl'):
    shutil.copy(wheel, arguments[arguments.index('--dest') + 1])
";

#[tokio::test(flavor = "multi_thread")]
async fn wheels_are_fetched_by_the_pip_of_the_image() {
    let mut workshop = Workshop::new("fetch");
    let without = Request {
        wheels: None,
        ..workshop.request()
    };
    // The image of the tests has no pip: the way without is named.
    let error = workshop.build_as("mce-alpha==1", &without).await.0;
    let text = error.unwrap_err().to_string();
    assert!(
        text.contains("has no pip")
            && text.contains("pip download --dest wheels --only-binary=:all:")
            && text.contains("'mce-alpha==1'")
            && text.contains("--wheels wheels"),
        "{text}"
    );

    let copies = |mode: &str| {
        let wheel = fs::read(workshop.path("wheels").join("mce_alpha-1-py3-none-any.whl")).unwrap();
        let encode = |bytes: &[u8]| {
            use base64::Engine as _;
            base64::engine::general_purpose::STANDARD.encode(bytes)
        };
        format!(
            "RUN mkdir /fake /opt/mce/site/pip && echo {} | base64 -d > \
             /fake/mce_alpha-1-py3-none-any.whl && echo {} | base64 -d > \
             /opt/mce/site/pip/__main__.py && touch /opt/mce/site/pip/__init__.py && \
             echo {mode} > /fake/mode",
            encode(&wheel),
            encode(PIP.as_bytes())
        )
    };
    workshop.add(&Wheel::new("mce-alpha", "1"));
    let (good, bad) = (copies("good"), copies("--fail"));
    workshop.base = variant("fetch-base", &good);
    let request = Request {
        base: workshop.base.clone(),
        ..without.clone()
    };
    let (built, lines) = workshop.build_as("mce-alpha==1", &request).await;
    let built = built.unwrap();
    assert_eq!(names(&built, true), ["mce-alpha==1 mce_alpha"]);
    assert!(built.lock_written);
    let collecting = lines.iter().find(|line| line.starts_with("Collecting"));
    assert_eq!(
        collecting.unwrap(),
        "Collecting --disable-pip-version-check --no-input download --no-cache-dir \
         --only-binary=:all: --dest /mce-fetch/wheels --constraint /mce-fetch/constraints.txt \
         mce-alpha==1"
    );
    assert!(lines.contains(&"httpx==0.28.1".to_owned()), "{lines:?}");
    // By the lock.
    let (built, lines) = workshop.build_as("mce-alpha==1", &request).await;
    assert!(!built.unwrap().lock_written);
    let collecting = lines.iter().find(|line| line.starts_with("Collecting"));
    assert!(
        collecting
            .unwrap()
            .ends_with("--no-deps --require-hashes --requirement /mce-fetch/lock.txt"),
        "{lines:?}"
    );
    docker(&["rmi", "--force", "--no-prune", &workshop.base]);

    workshop.base = variant("fetch-base", &bad);
    let (error, _) = workshop.build_as("mce-alpha==1", &request).await;
    docker(&["rmi", "--force", "--no-prune", &workshop.base]);
    let text = error.unwrap_err().to_string();
    assert!(
        text.contains("fetching the packages failed: ERROR: no index")
            && text.contains("--require-hashes -r "),
        "{text}"
    );
}
